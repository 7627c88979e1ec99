import { z } from 'zod'
import { secret } from '../lib/secret.ts'
import { duration } from './duration.ts'
import { size } from './size.ts'

// An `error` in this folder completes the sentence "found …, expected …".
// A section that is left out is read as an empty one (the casts below), so that each key it lacks is named.

const Token = secret(z.string().min(16, { error: 'at least 16 characters' }))

const Server = z.strictObject({
  port: z.int().min(0).max(65_535).default(8080).describe('The port to listen on; 0 takes any free one.'),
  host: z.string().min(1).default('0.0.0.0').describe('The address to listen on; 127.0.0.1 keeps it on this machine.'),
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'an http or https URL' })
    .optional()
    .describe('Where the platform and the tills reach this hub from outside.'),
  adminToken: Token.describe('What operators send as their Bearer token. At least 16 characters.'),
  maxBody: size('1kb', '512mb')
    .prefault('64mb')
    .describe('The largest request body that is taken. A larger one is refused, and the refusal recorded.'),
})

const Store = z.strictObject({
  url: z
    .string()
    .refine((url) => !/^postgres(ql)?:/.test(url), {
      error: 'file:<path> of a SQLite database: only file: is supported in this version, PostgreSQL is not',
      abort: true,
    })
    .regex(/^file:./, { error: 'file:<path> of a SQLite database, such as file:./data/tillbridge.db' })
    .default('file:./data/tillbridge.db')
    .describe('Where events and deliveries are kept: the file of a SQLite database.'),
})

const Webhooks = z.strictObject({
  tokens: z
    .array(Token)
    .min(1)
    .describe(
      'Tokens that the platform may send with a webhook. Several are valid at once, so that they can be rotated.',
    ),
  eventIdHeader: z
    .string()
    .regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: 'the name of a request header, such as x-event-id' })
    .toLowerCase()
    .optional()
    .describe(
      'The request header in which the platform names the event. Without it events are told apart by what is in them.',
    ),
  sameBytesWindow: duration('1s', '400d')
    .prefault('24h')
    .describe('How long the same bytes are taken for the same event, where nothing else identifies it.'),
})

const Lane = z.strictObject({
  concurrency: z.int().min(1).max(256).default(4).describe('How many deliveries are under way at once.'),
  timeout: duration('100ms', '10m').prefault('20s').describe('How long one attempt may take.'),
})

/** What every destination has; its other keys are options of its adapter. */
export const WrittenDestination = z
  .looseObject({
    adapter: z
      .string()
      .min(1)
      .describe(
        'A built-in adapter, or a path (from the folder of this file) to a file that exports one as its default.',
      ),
    publish: z
      .union([z.literal('all'), z.array(z.string().min(1))])
      .optional()
      .describe('Kinds of events to send on as they came, or `all`. Without it, none.'),
    skip: z.array(z.string().min(1)).default([]).describe('Names of flows that this destination does not get.'),
    dryRun: z.boolean().default(false).describe('Record what would be sent, and send nothing.'),
    lane: Lane.prefault({}).describe('How fast deliveries are worked off.'),
  })
  .transform(({ adapter, publish, skip, dryRun, lane, ...options }) => {
    return { adapter, publish: publish ?? null, skip, dryRun, lane, options }
  })

const DestinationName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, {
  error: 'a name of at most 40 lower-case letters, digits and hyphens that begins with a letter',
})

/**
 * The whole config. What is written goes in, what the hub uses comes out: durations in milliseconds, sizes in bytes,
 * destinations as a list. The options of a destination are checked beside it, by the schema of its adapter.
 */
export const Config = z.strictObject({
  server: Server.prefault({} as z.input<typeof Server>).describe('How the hub is reached.'),
  store: Store.prefault({}).describe('Where the hub keeps what it took.'),
  platform: z
    .strictObject({
      webhooks: Webhooks.prefault({} as z.input<typeof Webhooks>).describe('Webhooks that the platform sends.'),
    })
    .prefault({} as { webhooks: z.input<typeof Webhooks> })
    .describe('The platform whose events arrive.'),
  destinations: z
    .record(DestinationName, WrittenDestination)
    .prefault({})
    .transform((byName) => Object.entries(byName).map(([name, destination]) => ({ name, ...destination })))
    .describe('The systems that events go to, by names that you choose.'),
  log: z
    .strictObject({
      level: z
        .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
        .default('info')
        .describe('The least important level that is logged.'),
    })
    .prefault({})
    .describe('What the hub writes to its output.'),
})

/** The config as the hub uses it. A destination's `publish` is null where it asks for no raw events. */
export type Config = z.output<typeof Config>
