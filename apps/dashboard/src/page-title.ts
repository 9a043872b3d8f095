import { type RefObject, useEffect, useRef } from "react";

let first = true;

/** Names the document, and moves the focus to the heading after a change of page, as a page load would. */
export function usePageTitle(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Worktree hive`;
  }, [title]);
  useEffect(() => {
    if (!first) heading.current?.focus();
    first = false;
  }, []);
  return heading;
}
