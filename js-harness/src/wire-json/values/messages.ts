// Messages of every class of LangChain, with anything inside that their fields may hold.

import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
  type BaseMessage,
  type AIMessageFields,
} from "@langchain/core/messages";
import fc from "fast-check";

import { text } from "./leaves.js";
import { recipe, type Recipe } from "./recipe.js";

/** What a message is made from; `held` is any live value. */
interface Fields {
  content: string;
  id: string;
  held: unknown;
}

type MakeMessage = (fields: Fields) => BaseMessage;

const common = ({ content, id, held }: Fields) => ({
  content,
  id,
  name: "someone",
  additional_kwargs: { held },
  response_metadata: { held: [held] },
});

/** Its own type leaves no room for the counts of tokens. */
const withTools = (fields: Fields): AIMessageFields => {
  const given: object = {
    ...common(fields),
    tool_calls: [
      { id: "call", name: "weather", args: { held: fields.held }, type: "tool_call" as const },
    ],
    invalid_tool_calls: [{ id: "bad", name: "weather", args: fields.content, error: "no JSON" }],
    usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  };
  return given;
};

const asTool = (fields: Fields) => ({
  ...common(fields),
  tool_call_id: "call",
  artifact: fields.held,
});
const asFunction = (fields: Fields) => ({ ...common(fields), name: "weather" });
const inRole = (fields: Fields) => ({ ...common(fields), role: "critic" });

/** Blocks of content, as multimodal models take them. */
const inBlocks = ({ content, held }: Fields) => [
  { type: "text" as const, text: content },
  { type: "image_url" as const, image_url: { url: "data:image/png;base64,AA==" } },
  { type: "custom" as const, held },
];

const CLASSES: Readonly<Record<string, MakeMessage>> = {
  HumanMessage: (fields) => new HumanMessage(common(fields)),
  "HumanMessage in blocks": (fields) => new HumanMessage({ content: inBlocks(fields) }),
  HumanMessageChunk: (fields) => new HumanMessageChunk(common(fields)),
  AIMessage: (fields) => new AIMessage(withTools(fields)),
  "AIMessage in blocks": (fields) => new AIMessage({ content: inBlocks(fields) }),
  AIMessageChunk: (fields) => new AIMessageChunk(common(fields)),
  SystemMessage: (fields) => new SystemMessage(common(fields)),
  SystemMessageChunk: (fields) => new SystemMessageChunk(common(fields)),
  ToolMessage: (fields) => new ToolMessage(asTool(fields)),
  ToolMessageChunk: (fields) => new ToolMessageChunk(asTool(fields)),
  FunctionMessage: (fields) => new FunctionMessage(asFunction(fields)),
  FunctionMessageChunk: (fields) => new FunctionMessageChunk(asFunction(fields)),
  ChatMessage: (fields) => new ChatMessage(inRole(fields)),
  ChatMessageChunk: (fields) => new ChatMessageChunk(inRole(fields)),
  RemoveMessage: ({ id }) => new RemoveMessage({ id }),
};

/** The names of the classes, for a test that none is forgotten. */
export const messageClasses: readonly string[] = Object.keys(CLASSES);

export const message = (held: fc.Arbitrary<Recipe>): fc.Arbitrary<Recipe> =>
  fc
    .tuple(fc.constantFrom(...Object.entries(CLASSES)), text, held)
    .map(([[name, make], content, inside]) =>
      recipe(`new ${name}({ content: ${JSON.stringify(content)}, held: ${inside.told} })`, () =>
        make({ content, id: "message", held: inside.make() }),
      ),
    );
