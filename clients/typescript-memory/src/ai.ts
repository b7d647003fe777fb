/** Memory for the AI SDK of Vercel: memoryTools are tools for models, recallMiddleware recalls before each call of one. */

export type { Place } from "./connection.js";
export { recallMiddleware, type RecallOptions } from "./ai/middleware.js";
export { type Found } from "./ai/notes.js";
export { type Got, type Listed, memoryTools, type MemoryToolsOptions, type ReadingTools, type Searched, type WritingTools } from "./ai/tools.js";
