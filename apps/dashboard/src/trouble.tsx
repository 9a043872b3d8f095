import { ApiError } from "./api.ts";

/** Why something could not be read, and what to do about it. */
export function Trouble({ error }: { readonly error: Error }) {
  const hint = error instanceof ApiError ? error.hint : null;
  return (
    <p role="alert" className="trouble">
      {capitalised(error.message)}.{hint !== null && ` ${capitalised(hint)}${/[.?!]$/.test(hint) ? "" : "."}`}
    </p>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
