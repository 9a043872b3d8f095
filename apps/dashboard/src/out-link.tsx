import type { ReactNode } from "react";

/** A link to the forge or the tracker. What is no web address is shown as plain text, since it came from outside. */
export function OutLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!/^https?:\/\//i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
