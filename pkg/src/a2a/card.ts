import type { AgentCard, AgentSkill } from "@a2a-js/sdk";

/** What an agent says of itself. */
export interface AgentDescription {
  name: string;
  description: string;
  version: string;
  /** Where the JSON-RPC endpoint is served. */
  url: string;
  /** Default: one skill, named like the agent. */
  skills?: AgentSkill[];
}

/**
 * The card of an agent whose tasks this adapter serves: JSON-RPC of protocol 1.0. What the adapter
 * does not do (streams, push notifications, an extended card) is off, and says so. A card has no word
 * for lists of tasks; asked for one, the adapter answers -32004.
 */
export function agentCard(agent: AgentDescription): AgentCard {
  const { name, description, version, url } = agent;
  return {
    name,
    description,
    version,
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", tenant: "", protocolVersion: "1.0" }],
    provider: undefined,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [],
    },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: agent.skills ?? [skillOf(agent)],
    signatures: [],
  };
}

function skillOf({ name, description }: AgentDescription): AgentSkill {
  return {
    id: "answer",
    name,
    description,
    tags: [],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  };
}
