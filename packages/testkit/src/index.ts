export { type AgentBehaviour, type AgentUnderTest, describeAgentConformance } from "./agent-conformance.ts";
