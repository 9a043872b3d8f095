import { Board } from "./board.tsx";
import { JobPage } from "./job-page.tsx";
import { type Connection, useLiveEvents } from "./live-events.ts";
import { Link, useRoute } from "./route.tsx";

/** The frame around both pages. */
export function App() {
  const connection = useLiveEvents();
  const route = useRoute();
  return (
    <>
      <header className="bar">
        <Link href="/" className="brand">
          Worktree hive
        </Link>
        <span className={`connection ${connection.state}`}>{IN_WORDS[connection.state]}</span>
      </header>
      <div role="status">{connection.state === "lost" && <Lost since={connection.since} />}</div>
      <main>{route.page === "job" ? <JobPage key={route.id} id={route.id} /> : <Board />}</main>
    </>
  );
}

const IN_WORDS: Readonly<Record<Connection["state"], string>> = {
  connecting: "Connecting…",
  live: "Live",
  lost: "Not connected",
};

function Lost({ since }: { readonly since: number }) {
  return (
    <p className="banner">
      Not connected to the hive since {new Date(since).toLocaleTimeString()}. What you see may be out of date.
      Trying again…
    </p>
  );
}
