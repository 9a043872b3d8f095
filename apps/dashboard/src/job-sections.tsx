import type { JobDetail, RunView } from "@worktree-hive/contracts";
import type { ReactNode } from "react";
import { Age, Clock, inWords } from "./age.tsx";

export function Findings({ findings }: Pick<JobDetail, "findings">) {
  return (
    <Section title="Findings" none="Nothing was wrong with the PR when the hive last acted on it.">
      {findings.map((finding) => (
        <li key={finding}>{finding}</li>
      ))}
    </Section>
  );
}

export function Runs({ runs }: Pick<JobDetail, "runs">) {
  return (
    <Section title="Runs" none="No agent has run yet.">
      {runs.map((run) => (
        <li key={run.id}>
          <p className="line">
            <strong>{run.outcomeText ?? (run.status === "running" ? "Running" : "About to start")}</strong>
            <span>{run.kind === "implement" ? "implements the issue" : `fixes, cycle ${run.cycle}`}</span>
            <RunTime run={run} />
            {run.isolation !== null && (
              <span>{run.isolation === "none" ? "without a sandbox" : `in a ${run.isolation} jail`}</span>
            )}
            <code>{run.id}</code>
          </p>
          {run.summary !== null && <blockquote>{run.summary}</blockquote>}
        </li>
      ))}
    </Section>
  );
}

function RunTime({ run }: { readonly run: RunView }) {
  if (run.startedAt === null) return null;
  if (run.endedAt === null)
    return (
      <span>
        started <Age of={run.startedAt} />
      </span>
    );
  return <span>took {inWords(Date.parse(run.endedAt) - Date.parse(run.startedAt))}</span>;
}

const FIX_STATUS = {
  reserved: "charged, push under way",
  pushed: "pushed",
  void: "given back, the push did not happen",
} as const;

export function Fixes({ fixes }: Pick<JobDetail, "fixes">) {
  return (
    <Section title="Fixes" none="No fix was charged.">
      {fixes.map((fix) => (
        <li key={`${fix.cycle}/${fix.sha}`} className="line">
          <code>{fix.sha.slice(0, 12)}</code>
          <span>cycle {fix.cycle}</span>
          <span>{FIX_STATUS[fix.status]}</span>
        </li>
      ))}
    </Section>
  );
}

export function Rescues({ rescues }: Pick<JobDetail, "rescues">) {
  return (
    <Section title="Rescue refs" none="None was needed.">
      {rescues.map((rescue) => (
        <li key={rescue.ref} className="line">
          <code>{rescue.ref}</code>
          <code>{rescue.commit.slice(0, 12)}</code>
          <span>{rescue.reason}</span>
          <Age of={rescue.at} />
        </li>
      ))}
    </Section>
  );
}

export function Effects({ effects }: Pick<JobDetail, "effects">) {
  return (
    <Section title="Effects" none="The hive has done nothing for this job yet.">
      {effects.map((effect) => (
        <li key={effect.key} className="line">
          <strong>{effect.action.replaceAll("_", " ")}</strong>
          <span className={effect.status}>{effect.status}</span>
          {effect.attempts > 1 && <span>{effect.attempts} attempts</span>}
          {effect.detail !== null && <span>{effect.detail}</span>}
        </li>
      ))}
    </Section>
  );
}

export function Timeline({ timeline }: Pick<JobDetail, "timeline">) {
  return (
    <Section title="Timeline, newest first" none="Nothing has happened yet.">
      {timeline.next !== null && (
        <li key="more">Later entries are not shown: the history is too long for this page.</li>
      )}
      {timeline.events.toReversed().map((event) => (
        <li key={event.id} className="line">
          <Clock at={event.at} />
          <span className="grow">{event.text}</span>
          <code>{event.type}</code>
        </li>
      ))}
    </Section>
  );
}

/** A titled list; without items it says why there are none. */
function Section({ title, none, children }: { title: string; none: string; children: ReactNode }) {
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  const empty = Array.isArray(children) && children.flat().every((child) => !child);
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {empty ? <p className="quiet">{none}</p> : <ul className="rows">{children}</ul>}
    </section>
  );
}
