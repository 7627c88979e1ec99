// Long because every key stands here, once, with its sentence.
import { validate } from 'node-cron'
import { z } from 'zod'
import type { Channels } from '../domain/catalogue/channel.ts'
import { DIRECTORY, MIRROR, PLATFORM } from '../domain/queue/event.ts'
import { ROLES } from '../domain/role.ts'
import { parseDecimal, ZERO } from '../domain/values/money.ts'
import { choice, count, Named, Off, On, secret, Text, Texts } from '../lib/schema.ts'
import { JOB_NAMES, JOBS, type JobName, SWITCHED_OFF } from './jobs.ts'
import {
  Accounts,
  Alarms,
  AllowedAddresses,
  Completeness,
  duration,
  Inactivity,
  Limits,
  Payloads,
  Retention,
  rule,
  size,
  Timeouts,
  TrustedProxies,
} from './sections.ts'

// An `error` in this folder completes "found …, expected …". A missing section is read as an empty one (the casts below), so that each
// required key is named.

const TokenText = z.string().min(16, { error: 'at least 16 characters' })

const Token = secret(TokenText)

/** A bearer token; others would never match the header. */
const BearerToken = secret(
  TokenText.regex(/^[\x21-\x7e]*$/, {
    error: 'ASCII letters, digits and signs alone; is there a blank or a line break, perhaps at its end?',
  }),
)

const HttpUrl = z.url({ protocol: /^https?$/, error: 'an http or https URL' })

const ISSUER = 'an https URL, or an http URL of this machine'

const Oidc = z
  .strictObject({
    issuer: z
      .url({ protocol: /^https?$/, error: ISSUER })
      .refine((url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])([:/]|$))/.test(url), { error: ISSUER })
      .describe("The provider's address; its /.well-known/openid-configuration is read from there."),
    allowPrivate: Off.describe('The name of that address may lead to a private network.'),
    clientId: Text.describe('The id under which the provider knows this hub.'),
    clientSecret: secret(Text).describe("That client's secret."),
    clientAuth: z
      .enum(['basic', 'post'])
      .default('basic')
      .describe('How the secret is sent: `client_secret_basic` or `client_secret_post`.'),
    scope: Text.default('openid profile email').describe('What the provider is asked for.'),
    rolesClaim: Text.default('roles').describe(
      'The claim of the ID token, or of the user info, that gives the role; `realm_access.roles` is one within another.',
    ),
    roles: z
      .record(Text, z.enum(ROLES))
      .refine((roles) => Object.keys(roles).length > 0, {
        error: 'at least one value and its role, else nobody may sign in',
      })
      .describe('The role that a value of the claim gives. Several values: the role that may do most.'),
    label: Text.default('OpenID Connect').describe("The provider's name on the button."),
  })
  .describe(
    'Sign-in at an OpenID Connect provider, besides the users of `tillbridge users add`. Needs server.publicUrl.',
  )

const Cron = z.string().refine((text) => text === SWITCHED_OFF || validate(text), {
  error: 'a cron expression in UTC, such as "*/15 * * * *", or off',
})

const Schedules = z.strictObject(
  Object.fromEntries(JOB_NAMES.map((name) => [name, Cron.optional().describe(JOBS[name].about)])) as Record<
    JobName,
    z.ZodOptional<typeof Cron>
  >,
)

export const ServerAccess = z.object({
  port: count(0, 65_535, 8080).describe('The port to listen on; 0 takes any free one.'),
  host: Text.default('0.0.0.0').describe('The address to listen on; 127.0.0.1 keeps it on this machine.'),
  admin: z
    .strictObject({
      host: Text.default('127.0.0.1').describe('The address to listen on.'),
      port: count(0, 65_535, 8081).describe('The port to listen on, another than server.port.'),
    })
    .optional()
    .describe('A listener of its own for /admin and /console, which server.port does not have then.'),
  adminToken: BearerToken.describe('What operators send as their Bearer token. At least 16 characters.'),
})

export const DEFAULT_ADMIN = 'admin'

const Server = z
  .strictObject({
    port: ServerAccess.shape.port,
    host: ServerAccess.shape.host,
    publicUrl: HttpUrl.optional().describe(
      'Where the platform and the POS reach this hub from outside. Without it, events that were lost are not looked for in the event log.',
    ),
    admin: ServerAccess.shape.admin,
    adminToken: ServerAccess.shape.adminToken,
    admins: z
      .record(
        z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,39}$/u, {
          error: 'a name of at most 40 letters, digits and the signs . _ @ -',
        }),
        z.union([
          BearerToken.transform((token) => ({ token, role: null })),
          z.strictObject({
            token: BearerToken,
            role: z.enum(ROLES).describe('What it may, as at the console; without it, everything.'),
          }),
        ]),
      )
      .default({})
      .describe(
        'More tokens like adminToken, each under the name of who has it, or with a role: { token, role: viewer }. The audit then names who acted. What is done with adminToken is done by "admin".',
      ),
    trustProxy: TrustedProxies.describe(
      'Addresses of the reverse proxies in front of this hub: who sends is then read from X-Forwarded-For. Without it, all that come through a proxy count as one sender.',
    ),
    allow: AllowedAddresses.describe(
      'Addresses and ranges that may ask an interface, by the first part of its path: { admin: [10.0.0.0/8] }. Others get 403. One that is not named here takes all; /health always does.',
    ),
    maxBody: size('1kb', '512mb')
      .prefault('8mb')
      .describe('The largest body of a webhook that is taken. A larger one is refused, and the refusal recorded.'),
    limits: Limits.prefault({}),
    timeouts: Timeouts.prefault({}),
  })
  .superRefine(
    rule(({ port, admin, adminToken, admins, maxBody, limits }, fault) => {
      if (admin && admin.port === port && port !== 0) fault(['admin', 'port'], 'another port than that of server.port')
      const names = new Map([[adminToken, 'adminToken']])
      for (const [name, { token }] of Object.entries(admins)) {
        const other = names.get(token)
        if (other !== undefined) fault(['admins', name], `a token that nobody else has: it is that of ${other}`)
        if (name === DEFAULT_ADMIN) fault(['admins', name], 'another name: it is that of adminToken')
        names.set(token, name)
      }
      if (Math.max(maxBody, limits.decoded ?? maxBody) > limits.inFlightBytes - limits.reserve)
        fault(
          ['limits', 'inFlightBytes'],
          'at least reserve and the largest body together: one of maxBody (or limits.decoded) would never be taken',
        )
    }),
  )

const Store = z.strictObject({
  url: z
    .string()
    .regex(/^(file:.|postgres(ql)?:\/\/)/, {
      error: 'file:<path> of a SQLite database, or postgres://user:password@host:5432/database for several hubs',
    })
    .default('file:./data/tillbridge.db')
    .describe(
      'Where events and deliveries are kept: the file of a SQLite database, or a PostgreSQL database that several hubs share (`?schema=` names its schema; without it, tillbridge).',
    ),
  connections: count(1, 100, 10).describe(
    'PostgreSQL: how many connections this hub opens at most, besides the one that it listens on.',
  ),
})

/** `all`, or these. */
const AllOr = z.union([z.literal('all'), Texts]).optional()

const HeaderName = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: 'the name of a request header, such as x-event-id' })
  .toLowerCase()

const Webhooks = z.strictObject({
  tokens: z
    .array(Token)
    .min(1)
    .describe(
      'Tokens that the platform may send with a webhook. Several are valid at once, so that they can be rotated.',
    ),
  signature: z
    .strictObject({
      header: HeaderName.describe('The request header: sha256= and the HMAC-SHA256 of the body in hex.'),
      secrets: z
        .array(Token)
        .min(1)
        .describe('What it is made with. Several are valid at once, so that they can be rotated.'),
    })
    .optional()
    .describe(
      'A signature that the proxy in front of the hub adds to each webhook, for the platform adds none. What has none or a wrong one is refused, besides what has no token.',
    ),
  eventIdHeader: HeaderName.optional().describe(
    'The request header in which the platform names the event. Without it events are distinguished by what is in them.',
  ),
  keepHeaders: z
    .array(HeaderName)
    .max(50)
    .default([])
    .describe(
      'Request headers that are stored with an event besides content-type, user-agent, trace and request ids, the event id header, and GUIDs under any harmless name.',
    ),
  kinds: AllOr.describe(
    'Kinds that the hub subscribes to by itself, or `all` that the platform offers. Without it, subscriptions are left to you.',
  ),
  ids: z
    .record(Text, z.union([Text, Texts]))
    .default({})
    .describe(
      'The ids of subscriptions that are there already, by kind, for a platform that shows no list of them: their event log is read, and their kinds are not subscribed again. Those that the hub makes itself it remembers.',
    ),
  stores: AllOr.describe(
    'Stores whose events are subscribed, by number or country (NO): one subscription for each kind and store. `all`: without a limit. Without it, without a limit as well, but one that was limited at the platform stays so.',
  ),
  sameBytesWindow: duration('1s', '400d')
    .prefault('24h')
    .describe('How long the same bytes are taken for the same event, where nothing else identifies it.'),
})

const Concurrency = count(1, 256, 4).describe('How many calls are under way at once.')

const InDoubtFor = duration('0s', '24h')

const QueueSettings = z.strictObject({
  concurrency: Concurrency,
  inDoubtFor: InDoubtFor.optional().describe(
    'How long after a call that went unanswered its effect may still appear there: until then a lookup that finds nothing proves nothing, and no second call is made. Longer than the longest request there may run. 5m where it is left out; nothing for databases and folders of this machine.',
  ),
  timeout: duration('100ms', '10m')
    .optional()
    .describe('How long one attempt may take: what the adapter says where it is left out (smtp 2m), else 20s.'),
})

/** Two megabytes of products take time. */
const PlatformQueueSettings = z.strictObject({
  concurrency: Concurrency,
  inDoubtFor: InDoubtFor.prefault('5m').describe(
    'How long after a call that went unanswered its effect may still appear there: until then a lookup that finds nothing proves nothing, and no second call is made.',
  ),
  timeout: duration('100ms', '10m').prefault('2m').describe('How long one attempt may take.'),
})

/** Dotted names, outermost first. */
const AnswerPath = z.string().regex(/^[^.]+(\.[^.]+)*$/, { error: 'names with dots between them, such as data.rows' })

/** One endpoint, as far as it differs from the preset's. */
const Endpoint = z.strictObject({
  method: choice('GET', 'POST', 'PUT', 'DELETE'),
  base: choice('rest', 'odata').describe('Which address the path is added to: baseUrl or odataUrl.'),
  path: z.string().regex(/^\//, { error: 'a path that begins with /' }).optional(),
  headers: z
    .record(z.string(), z.enum(['apiKey', 'subscriptionKey', 'storeId', 'stockId']))
    .optional()
    .describe('Header names, with what each carries.'),
  query: z
    .record(
      z.string(),
      z.strictObject({
        name: Text.describe('Its name on the wire.'),
        format: z.enum(['plain', 'day', 'day-and-time']),
        shift: z.int().optional().describe('Milliseconds that are added to an instant first.'),
        values: z.record(z.string(), z.string()).optional().describe('Words for single values.'),
      }),
    )
    .optional()
    .describe('How each parameter of the query is written.'),
  casing: choice('documented', 'pascal').describe('How the field names of the body are written.'),
  names: z
    .record(z.string(), Text)
    .optional()
    .describe('Fields of the body that have another name than the documented one.'),
  omit: z.array(z.string()).optional().describe('Fields of the body that are not sent.'),
  list: AnswerPath.optional().describe('Where the list stands in the answer, such as `data.rows`.'),
  record: AnswerPath.optional().describe('Where the record stands in the answer, or in each row of its list: `order`.'),
  fields: z
    .record(z.string(), AnswerPath)
    .optional()
    .describe(
      'Where fields of the answer stand, by the name that the documents have: `{ id: subscriptionId }`. A field of a row within the record has a dot: `{ orderLines.gtin: ean }`.',
    ),
  decimals: choice('text', 'number').describe('Orders only: how prices, quantities and amounts are written.'),
  address: choice('order', 'customer').describe(
    'Orders only: where the billing address stands, as billingAddress or as address of the customer.',
  ),
  time: choice('utc', 'cet').describe(
    'Imported sales only: instants in UTC, or as the wall clock of Central Europe without a zone.',
  ),
  window: choice('quoted-day', 'day', 'quoted-datetime', 'datetime').describe(
    'salesLines.list and stockMovements.list only: from and to as days, or as the first and last second of days, in single quotes or plain.',
  ),
  requestId: choice('heeded', 'unknown').describe(
    'Deliveries only: whether one requestId is executed once, however often it is sent.',
  ),
  quantities: choice('decimal', 'whole').describe(
    'Stock adjustments only: whether the platform counts in whole numbers.',
  ),
  levels: choice('total', 'asked', 'sellable').describe(
    'Stock levels only: whether what is reserved is in them (total; asked: on request), or taken off.',
  ),
  timeout: duration('100ms', '10m').optional().describe('How long one request may take.'),
  bulk: z.boolean().optional().describe('Goes after everything else where requests are limited by `rate`.'),
})

const CountryCode = z.string().regex(/^[A-Z]{2}$/, { error: 'a country code of two capital letters, such as NO' })

const Platform = z
  .strictObject({
    preset: z
      .enum(['spec', 'frontsystems-v2'])
      .default('spec')
      .describe('Which dialect of the API the platform speaks: paths, headers, query parameters.'),
    baseUrl: HttpUrl.optional().describe(
      "Where the platform's API begins. Without it the hub takes webhooks, but asks the platform nothing.",
    ),
    odataUrl: HttpUrl.optional().describe('Where its odata endpoints begin, if not at baseUrl.'),
    allowPrivate: Off.describe(
      'The names of these addresses may lead to private networks or this machine. An IP address, and localhost, need it not.',
    ),
    apiKey: secret(Text).optional().describe('The token of the integration user (x-api-key).'),
    subscriptionKey: secret(Text).optional().describe('The key of the developer portal (Ocp-Apim-Subscription-Key).'),
    rate: z
      .strictObject({ perSecond: z.number().positive().describe('Requests a second at most.') })
      .optional()
      .describe('How fast the platform is asked. Without it, as fast as it answers.'),
    endpoints: z
      .record(
        z.string(),
        // YAML null means not set.
        Endpoint.nullish().transform((endpoint) => endpoint ?? null),
      )
      .optional()
      .describe(
        'Changes to single endpoints of the preset, by operation (docs/platform-unknowns.md). null: the platform has no such operation, and jobs that live on it are off.',
      ),
    trustWebhooks: Off.describe(
      'Believe what webhooks say of orders without asking the platform. Else nothing is captured, paid back, cancelled or reported to a customer that the platform does not confirm.',
    ),
    payloads: Payloads.describe(
      'Where fields of webhooks stand, where the hub cannot know: by kind, and by its own name of the field, a path or JSONata (docs/evidence.md). `items.quantity` is evaluated over each row of items.',
    ),
    webhooks: Webhooks.prefault({} as z.input<typeof Webhooks>).describe('Webhooks that the platform sends.'),
    saleStores: z
      .record(CountryCode, Text)
      .default({})
      .describe('The number of the store that stands for a country: online sales placed there are imported under it.'),
    stockWriters: Named.describe(
      "The own system that alone writes the levels of a stock, by the stock's id: an online store's. The others are the platform's.",
    ),
    reserveOrders: Off.describe(
      'Reserve the goods of orders for stores besides (Stockreservation), and release them when the order is cancelled or over: for a platform that keeps none with the order itself.',
    ),
    retailLists: Named.describe(
      "The name of the price list that holds a store's recommended retail prices, by its number or its country: what has no price there cannot be sold.",
    ),
    dryRun: Off.describe(
      'Record what own systems submit for the platform, and what would be sent to it, and send nothing.',
    ),
    queue: PlatformQueueSettings.prefault({}).describe('How fast what own systems submit is carried to the platform.'),
  })
  .superRefine(
    rule((platform, fault) => {
      for (const key of ['apiKey', 'subscriptionKey'] as const)
        if (platform.baseUrl !== undefined && platform[key] === undefined)
          fault([key], 'a key, because baseUrl is given')
    }),
  )

const Intake = z.strictObject({
  stores: Named.describe(
    'Which store a place of the shop is (a pickup location), by its number. Others are store numbers themselves.',
  ),
  country: CountryCode.optional().describe('Where its completed orders were placed: see platform.saleStores.'),
  currencies: z
    .record(z.string().regex(/^[A-Z]{3}$/, 'a currency of three capital letters, such as EUR'), Text)
    .default({})
    .describe(
      'The number of the store that sales in a currency are imported under, whatever their country. Left out: the store of the country, which must count in that currency.',
    ),
  reservationHours: z
    .int()
    .positive()
    .max(8_760)
    .optional()
    .describe('How long the store keeps the goods of an order.'),
  salesSince: z.iso
    .datetime({ offset: true, error: 'an instant with its zone, such as 2026-03-01T00:00:00Z' })
    .optional()
    .describe(
      'Orders completed before are no sales for the platform. Left out: a day before the hub first looked at the system.',
    ),
})

const ChannelOfStocks = z.strictObject({
  stocks: Texts.describe("Ids of the platform's stocks that can be sold from there."),
  safetyStock: z.int().min(0).default(0).describe('So many of each article are kept back in each of these stocks.'),
})

const Daily = z.strictObject({
  flows: z.array(Text).default([]).describe('Names of flows: book-sale, book-settlement …'),
  closes: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'a time of day, such as 03:00' })
    .default('03:00')
    .describe("When the day before is closed, on the store's own clock."),
})

const LookupTokens = z
  .array(BearerToken)
  .min(1)
  .describe('What POS send as their Bearer token. Several are valid at once, so that they can be rotated.')

const Budget = duration('50ms', '30s').prefault('800ms').describe('After this long, what is there is answered.')

const Ask = Texts.optional().describe(
  'Which destinations are asked, the most trusted first. Without it, all that can be.',
)

const PerMinute = count(1, 100_000, 600).describe('Questions that one token may ask in a minute.')

const Template = Text.optional().describe('JSONata that makes the answer of what was found.')

const Lookups = z.strictObject({
  customers: z
    .strictObject({
      tokens: LookupTokens,
      ask: Ask,
      budget: Budget,
      perMinute: PerMinute,
      countries: z
        .array(CountryCode)
        .min(1)
        .default(['NO', 'SE', 'DK', 'FI', 'DE', 'GB'])
        .describe('Whose phone numbers people type without a country, the likeliest first.'),
      answer: Template,
    })
    .optional()
    .describe('The POS looks for customers (GET /api/customers/search).'),
  orders: z
    .strictObject({
      tokens: LookupTokens,
      ask: Ask,
      budget: Budget,
      perMinute: PerMinute,
      parameter: Text.default('query').describe('The name of the parameter that holds the number.'),
      answer: Template,
    })
    .optional()
    .describe('The POS looks for an online order (GET /api/orders/search).'),
})

const Mirror = choice('all', 'stock').describe(
  "What the hub keeps a copy of: `all` (sales, settlements, deliveries, stock), or `stock` alone. Without it: stock, where a shop sells from the platform's stocks; else nothing.",
)

const ColumnName = z.string().regex(/^[A-Za-z_]\w*$/, { error: 'the name of a column, such as STOCKMOVEMENTID' })

const Pulls = z.strictObject({
  days: count(1, 400, 7).describe('How many days back the first run of a job looks.'),
  since: z.iso
    .date({ error: 'a day, such as 2026-01-31' })
    .optional()
    .describe('Everything since this day is pulled, also what jobs had left behind them: to fill in what is missing.'),
  movementColumns: z
    .strictObject({
      id: ColumnName.optional().describe(
        'Where the id of a stock movement stands. Without it, movements are not pulled.',
      ),
      type: ColumnName.optional().describe('Where its type stands: why the goods moved.'),
    })
    .default({})
    .describe("Columns of the platform's odata Stockmovements whose names are not published."),
  saleColumns: z
    .strictObject({
      receiptNo: ColumnName.optional().describe(
        'Where the number of the receipt stands. With it, and `posId`, a sale that no webhook brought is taken from its lines.',
      ),
      posId: ColumnName.optional().describe('Where the id of the POS stands.'),
      orderNo: ColumnName.optional().describe(
        'Where the number of an order of the online store stands: such a sale is never taken from its lines.',
      ),
    })
    .default({})
    .describe("Columns of the platform's odata Saleslines whose names are not published."),
})

const Clocks = z.strictObject({
  reported: duration('1s', '30d').prefault('5m').describe('Picked, and the customer not notified.'),
  captured: duration('1s', '30d').prefault('30m').describe('Collected, and the payment not captured.'),
  declined: duration('1s', '30d').prefault('30m').describe('Declined, and not refunded.'),
  expired: duration('1s', '30d').prefault('1h').describe('Expired, and the shop not notified.'),
  shipped: duration('1s', '30d').prefault('30m').describe('Packed in the store, and no shipment in the shop.'),
  refunded: duration('1s', '30d').prefault('30m').describe('A refund that the shop must make, and has not.'),
  created: duration('1s', '30d').prefault('5m').describe('Sold at a POS for the shop to send, and no order there.'),
  placed: duration('1s', '30d').prefault('5m').describe('An online order that is not in its store.'),
})

export const WrittenDestination = z
  .looseObject({
    adapter: Text.describe(
      'A built-in adapter, a package (`x` is tillbridge-adapter-x), or a path (from the folder of this file) to a file that exports one as its default.',
    ),
    publish: z
      .union([z.literal('all'), z.array(Text)])
      .optional()
      .describe('Kinds of events to send on as they came, or `all`. Without it, none.'),
    skip: z.array(Text).default([]).describe('Names of flows that this destination does not get.'),
    stores: Texts.optional().describe(
      'Only what happens in these stores: store numbers, or countries such as NO. Without it, all of them.',
    ),
    messages: z
      .array(z.enum(['ready', 'collected', 'declined', 'expired']))
      .default([])
      .describe('E-mail and texts: what customers are sent about their online orders, besides receipts.'),
    stocks: Named.describe(
      'Shops: stocks that are sold from, by their ids, with what the shop calls each: a channel of one stock.',
    ),
    channels: z
      .record(Text, ChannelOfStocks)
      .default({})
      .describe('Shops: where it sells from, by what it calls each: it is sent how many of each article there are.'),
    accounts: Accounts.optional().describe(
      'Back offices: how a settlement becomes a journal. Without it, it does not.',
    ),
    daily: Daily.prefault({}).describe('Back offices: flows whose steps wait until the day of the store has closed.'),
    intake: Intake.prefault({}).describe('Shops: how orders that it passes on become orders of stores.'),
    allowPrivate: Off.describe(
      'The names of its addresses may lead to private networks or this machine. An IP address that stands in config, and localhost, need it not.',
    ),
    dryRun: Off.describe('Record what would be sent, and send nothing.'),
    queue: QueueSettings.prefault({}).describe('How fast deliveries are worked off.'),
  })
  .superRefine(
    rule(({ stocks, channels }, fault) => {
      for (const location of Object.values(stocks))
        if (Object.hasOwn(channels, location))
          fault(['channels', location], 'another name, or no entry of that name in stocks')
    }),
  )
  .transform(({ adapter, publish, skip, stores, messages, stocks, channels, intake, dryRun, queue, ...rest }) => {
    const { accounts = null, daily, allowPrivate, ...options } = rest
    const common = { publish: publish ?? null, skip, stores: stores ?? null, messages, intake, dryRun, queue }
    const channelsOfAll = channelsOf(stocks, channels)
    // As written, besides what the adapter's schema makes of them: compiled values cannot be compared.
    const settings = { ...common, allowPrivate, accounts, daily, stocks, channels: channelsOfAll }
    return { adapter, ...settings, options, written: options }
  })

/** A named stock is a channel of its own. */
function channelsOf(
  stocks: Readonly<Record<string, string>>,
  channels: Readonly<Record<string, z.output<typeof ChannelOfStocks>>>,
): Channels {
  const named = Map.groupBy(Object.entries(stocks), ([, location]) => location)
  return Object.fromEntries([
    ...[...named].map(([location, ids]) => [location, { stocks: ids.map(([id]) => id), safetyStock: ZERO }]),
    ...Object.entries(channels).map(([location, { stocks, safetyStock }]) => [
      location,
      { stocks, safetyStock: parseDecimal(safetyStock) },
    ]),
  ])
}

const DestinationName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, {
    error: 'a name of at most 40 lower-case letters, digits and hyphens that begins with a letter',
  })
  .refine((name) => name !== PLATFORM, { error: `another name: ${PLATFORM} is the platform itself` })
  .refine((name) => name !== MIRROR, { error: `another name: ${MIRROR} is the hub's own copy of the platform` })
  .refine((name) => name !== DIRECTORY, { error: `another name: ${DIRECTORY} is the hub's own customer directory` })

/** Durations become milliseconds, sizes bytes, destinations a list. An adapter's schema checks its options. */
export const Config = z.strictObject({
  server: Server.prefault({} as z.input<typeof Server>).describe('How the hub is reached.'),
  store: Store.prefault({}).describe('Where the hub keeps what it took.'),
  platform: Platform.prefault({} as { webhooks: z.input<typeof Webhooks> }).describe(
    'The platform whose events arrive.',
  ),
  jobs: Schedules.prefault({}).describe(
    'When scheduled work runs, if not as by default: cron expressions in UTC; `off` switches a job off.',
  ),
  reconcile: z
    .strictObject({
      cap: count(0, 1_000_000, 50).describe(
        'So many differences of stock are corrected by themselves; where a run finds more, a person approves.',
      ),
    })
    .prefault({})
    .describe('The weekly comparison of stock: platform, mirror and shops.'),
  readBack: z
    .strictObject({
      after: duration('1s', '7d')
        .prefault('15m')
        .describe('So long after the platform acknowledged it, what was submitted is compared with what it has.'),
    })
    .prefault({})
    .describe('Products and prices that own systems submit are read back.'),
  pulls: Pulls.prefault({}).describe('What scheduled work pulls from the platform, besides what it pushes.'),
  destinations: z
    .record(DestinationName, WrittenDestination)
    .prefault({})
    .transform((byName) => Object.entries(byName).map(([name, destination]) => ({ name, ...destination })))
    .describe('The systems that events go to, by names that you choose.'),
  mirror: Mirror,
  lookups: Lookups.prefault({}).describe('Questions of POS, and who is asked.'),
  clocks: Clocks.prefault({}).describe('How long each thing may take before `tillbridge late` lists it.'),
  inactivity: Inactivity.prefault({}).describe('Stores that are unusually quiet are reported.'),
  completeness: Completeness.prefault({}).describe('How it is proven that nothing is missing.'),
  alarms: Alarms.prefault({}).describe('Who is notified when something is wrong.'),
  retention: Retention.prefault({}).describe('How long everything is kept.'),
  console: z
    .strictObject({
      enabled: On.describe('Whether the pages are there. The command line needs none.'),
      idle: duration('5m', '24h').prefault('1h').describe('A session ends when nothing was asked for so long.'),
      longest: duration('1h', '7d').prefault('12h').describe('A session ends so long after the sign-in.'),
      publicUrl: HttpUrl.optional().describe(
        'Where browsers reach the console; without it, at server.publicUrl. console.oidc needs it where server.admin is set.',
      ),
      oidc: Oidc.optional(),
    })
    .prefault({})
    .describe('Pages for people, at /console; `tillbridge users add` says who may sign in.'),
  tracing: z
    .strictObject({
      endpoint: HttpUrl.describe(
        "The collector's address, such as http://localhost:4318; traces go to /v1/traces there, or to the path that it has.",
      ),
      allowPrivate: Off.describe('The name of that address may lead to a private network.'),
      headers: z.record(Text, secret(Text)).default({}).describe('Sent with each batch, such as authorization.'),
      ratio: z.number().min(0).max(1).default(1).describe('Which part of the traces that begin here is sent.'),
      service: Text.default('tillbridge').describe('The name of this hub there (service.name).'),
    })
    .optional()
    .describe('Traces by OTLP over HTTP. Without it there are none, and nothing is loaded for them.'),
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

/** A destination's `publish` is null if it wants no raw events; `channels` include its `stocks`. */
export type Config = z.output<typeof Config>
