/** One page of a GraphQL connection. */
export interface Page<Item> {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  readonly nodes: readonly Item[];
}

/** All items of a connection: those of the first page, then `next` by cursor until the end or until it says null. */
export async function allPages<Item>(
  first: Page<Item> | null | undefined,
  next: (after: string) => Promise<Page<Item> | null | undefined>,
): Promise<Item[]> {
  const items = [...(first?.nodes ?? [])];
  let page = first;
  while (page?.pageInfo.hasNextPage === true && page.pageInfo.endCursor !== null) {
    page = await next(page.pageInfo.endCursor);
    items.push(...(page?.nodes ?? []));
  }
  return items;
}
