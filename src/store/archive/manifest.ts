import { z } from 'zod'

/** A file of an archive: events of one kind and month, one a line (NDJSON), under zstd. */
export const ArchivedFile = z.object({
  /** Below the folder, with slashes. */
  file: z.string(),
  /** SHA-256 of the file as it lies there, in hex. */
  sha256: z.string(),
  kind: z.string(),
  month: z.string(),
  first: z.number(),
  last: z.number(),
  events: z.number(),
  bytes: z.number(),
})

export type ArchivedFile = z.output<typeof ArchivedFile>

/** The manifest's name in the folder: a line a file, in the order in which they were written. */
export const MANIFEST = 'manifest.ndjson'

/** An event as it lies in an archive. */
export const ArchivedEvent = z.looseObject({
  id: z.number(),
  kind: z.string(),
  receivedAt: z.number(),
  identity: z.string().nullable(),
  transportKey: z.string().nullable(),
  /** Text, where the bytes are UTF-8; else base64. Null: none was kept. */
  body: z.union([z.object({ text: z.string() }), z.object({ base64: z.string() })]).nullable(),
})

export type ArchivedEvent = z.output<typeof ArchivedEvent>
