import { randomBytes } from 'node:crypto'
import { freePort } from '../../../sandbox/demo/free-port.ts'
import type { DialectName } from '../../../sandbox/platform/dialects/dialect.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.ts'
import type { TestClock } from '../../clock.ts'
import { SPEAKS } from '../../dialect.ts'
import { eventually } from '../../eventually.ts'
import { type Given, openFile, startTestHub, type TestHub } from '../../hub.ts'

/** A store with everything around it: the sandbox, and a hub that is connected to all of it. */
export interface OpenStore extends Sandbox {
  hub: TestHub
  /** Waits until the platform has sent everything, and the hub has done everything that is due (milliseconds; 10 s). */
  quiet(within?: number): Promise<void>
}

export interface StoreGiven {
  clock?: TestClock
  /** More about the destination `shop`. */
  shop?: object
  /** Where the hub finds the shop, which may be a door before it. */
  shopUrl?: (url: string) => Promise<string>
  others?: NonNullable<Given['destinations']>
  platform?: object
  /** How the platform speaks; as all platforms of this run, if nobody says. */
  dialect?: DialectName
  seed?: number
  /** The kinds that the hub subscribes to; all, if nobody says. Each has a log of its own, which is read hour by hour. */
  kinds?: readonly string[]
  /** Whether the platform has 2,000 variants besides what POS choose from. */
  seedCatalogue?: boolean
  pulls?: NonNullable<Given['config']>['pulls']
  reconcile?: NonNullable<Given['config']>['reconcile']
  lookups?: NonNullable<Given['config']>['lookups']
  mirror?: NonNullable<Given['config']>['mirror']
  /** Its config file, for a reload. */
  read?: NonNullable<Given['read']>
}

/** A batch that is not full waits for so long (milliseconds). */
export const LINGER = 1_000

/** Opens it, and waits until the hub has subscribed. */
export async function openStorage({
  shop = {},
  shopUrl = async (url) => url,
  others = {},
  platform: more = {},
  lookups,
  mirror,
  pulls,
  reconcile,
  seedCatalogue = true,
  dialect,
  seed,
  kinds,
  ...given
}: StoreGiven = {}): Promise<OpenStore & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const keys = {
    PLATFORM_API_KEY: 'key-of-the-user',
    PLATFORM_SUBSCRIPTION_KEY: 'key-of-the-company',
    SHOP_KEY: 'ck_shop_0123',
    SHOP_SECRET: 'cs_shop_0123',
    SHOP_WEBHOOK_SECRET: 'secret-of-the-webhooks',
    TEXTS_KEY: 'key-of-the-gateway',
    BUS_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
  }
  const sandbox = opened.use(
    await startSandbox(keys, {
      ...(given.clock && { now: given.clock.now }),
      seedCatalogue,
      ...(dialect ? { dialect } : SPEAKS),
      ...(seed !== undefined && { seed }),
    }),
  )
  const { platform, env } = sandbox
  const port = await freePort()
  const hub = opened.use(
    await startTestHub({
      ...given,
      random: () => 0.5,
      destinations: {
        shop: {
          adapter: 'woocommerce',
          url: await shopUrl(`${env.SHOP_URL}`),
          consumerKey: keys.SHOP_KEY,
          consumerSecret: keys.SHOP_SECRET,
          ...shop,
        },
        mail: { adapter: 'smtp', url: env.MAIL_URL, from: 'Nordlys <no-reply@nordlys.example>' },
        texts: {
          adapter: 'sms-http',
          url: env.TEXTS_URL,
          headers: { authorization: env.TEXTS_AUTHORIZATION },
          body: { to: '{{to}}', text: '{{text}}', reference: '{{key}}' },
        },
        ...others,
      },
      config: {
        server: { port, publicUrl: `http://127.0.0.1:${port}` },
        platform: {
          ...(dialect && understanding(dialect)),
          baseUrl: platform.apiUrl,
          apiKey: keys.PLATFORM_API_KEY,
          subscriptionKey: keys.PLATFORM_SUBSCRIPTION_KEY,
          saleStores: { NO: '101', SE: '201' },
          ...more,
        },
        webhooks: { kinds: kinds ? [...kinds] : 'all' },
        lookups,
        mirror,
        pulls,
        reconcile,
      },
    }),
  )
  await eventually(() => platform.subscriptions().length === (kinds ?? platform.kinds()).length)
  const open = opened.move()
  return {
    ...sandbox,
    hub,
    async quiet(within) {
      await eventually(async () => {
        await platform.settled()
        if ((await waiting(hub)) > 0) {
          // What goes out in batches waits for more, by this clock.
          if (given.clock && (await inFlight(hub)) === 0) given.clock.advance(LINGER)
          return false
        }
        // What was delivered to the platform may have made it tell of it.
        await platform.settled()
        return (await waiting(hub)) === 0
      }, within)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** What an operator writes who has no more than the documents: no names that those do not show. */
function understanding(dialect: DialectName) {
  // The specification shows no way to ask whether what a webhook says is so.
  return { preset: dialect === 'frontsystems-v2' ? dialect : 'spec', trustWebhooks: dialect === 'spec' } as const
}

/** How many deliveries wait, those under way among them: read beside the hub, since who waits for a state asks often. */
export async function waiting({ file }: TestHub): Promise<number> {
  using db = openFile(file)
  return Number(db.prepare("select count(*) from deliveries where state in ('waiting', 'claimed')").pluck().get())
}

export async function inFlight(hub: TestHub): Promise<number> {
  const { destinations } = (await hub.admin<{ destinations: { inFlight: number }[] }>('status')).body
  return destinations.reduce((sum, one) => sum + one.inFlight, 0)
}

/** Waits until every event was planned, and nothing of it is still to be done. */
export async function settled({ file }: TestHub): Promise<void> {
  using db = openFile(file)
  const open = db.prepare(
    `select (select count(*) from deliveries where state in ('waiting', 'claimed'))
       + (select count(*) from events where state = 'accepted') as n`,
  )
  await eventually(() => (open.get() as { n: number }).n === 0, 60_000)
}
