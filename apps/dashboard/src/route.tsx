import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from "react";

/** What the address names: the board, or one job. */
export type Route = { readonly page: "board" } | { readonly page: "job"; readonly id: string };

const MOVED = "hive:moved";

/** The route of a path; everything that is no job is the board. */
function routeOf(path: string): Route {
  const id = /^\/jobs\/([^/]+)\/?$/.exec(path)?.[1];
  return id === undefined ? { page: "board" } : { page: "job", id: decoded(id) };
}

export function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`;
}

/** The route of the address bar, kept up to date. */
export function useRoute(): Route {
  return routeOf(useSyncExternalStore(subscribe, () => location.pathname));
}

/** A link inside the dashboard. A click with a modifier key is left to the browser. */
export function Link({ href, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }) {
  const follow = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState(null, "", href);
    scrollTo(0, 0);
    dispatchEvent(new Event(MOVED));
  };
  return <a {...rest} href={href} onClick={follow} />;
}

function subscribe(changed: () => void): () => void {
  addEventListener("popstate", changed);
  addEventListener(MOVED, changed);
  return () => {
    removeEventListener("popstate", changed);
    removeEventListener(MOVED, changed);
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
