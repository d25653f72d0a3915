import type { AgentCard, AgentInterface, AgentSkill } from "@a2a-js/sdk";

import { readArgument } from "../wasm/argument.js";

/** What an agent says of itself. */
export interface AgentDescription {
  name: string;
  description: string;
  version: string;
  /** Where the JSON-RPC endpoint is served. */
  url: string;
  /** Where the HTTP+JSON endpoint is served, if it is. */
  restUrl?: string;
  /** Whether both endpoints also speak protocol 0.3 (`legacyCompat` of the SDK's handlers). Default: no. */
  legacy?: boolean;
  /** Whether the host tells of changes (`A2AHost.changes`). Default: no. */
  streaming?: boolean;
  /** How callers make themselves known, and what is required of them. Default: nothing. */
  security?: Pick<AgentCard, "securitySchemes" | "securityRequirements">;
  /** Default: one skill, named like the agent. */
  skills?: AgentSkill[];
}

/**
 * The card of an agent whose tasks this adapter serves. What the adapter does not do (push
 * notifications, an extended card) is off, and says so.
 *
 * @throws `invalid_argument`
 */
export function agentCard(agent: AgentDescription): AgentCard {
  return readArgument("agent", () => cardOf(agent));
}

function cardOf(agent: AgentDescription): AgentCard {
  const { name, description, version, security } = agent;
  return {
    name,
    description,
    version,
    supportedInterfaces: interfacesOf(agent),
    provider: undefined,
    capabilities: {
      streaming: agent.streaming === true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [],
    },
    securitySchemes: security?.securitySchemes ?? {},
    securityRequirements: security?.securityRequirements ?? [],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: agent.skills ?? [skillOf(agent)],
    signatures: [],
  };
}

/** The preferred one first: a client takes the first that it speaks. */
function interfacesOf({ url, restUrl, legacy }: AgentDescription): AgentInterface[] {
  const bindings = [
    { url, protocolBinding: "JSONRPC", tenant: "" },
    ...(restUrl === undefined ? [] : [{ url: restUrl, protocolBinding: "HTTP+JSON", tenant: "" }]),
  ];
  const versions = legacy === true ? ["1.0", "0.3"] : ["1.0"];
  return versions.flatMap((protocolVersion) =>
    bindings.map((binding) => ({ ...binding, protocolVersion })),
  );
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
