import { type Bus, startBus } from './bus/bus.ts'
import { type Mailbox, startMailbox } from './mailbox/mailbox.ts'
import type { DialectName } from './platform/dialects/dialect.ts'
import { ASSORTMENT, type SandboxPlatform, startPlatform } from './platform/platform.ts'
import { type Shop, startShop } from './shop/shop.ts'
import { startTexts, type Texts } from './texts/texts.ts'

/** The keys by which the hub and the sandbox know each other, under the names that config/demo.yaml has for them. */
export interface SandboxKeys {
  PLATFORM_API_KEY: string
  PLATFORM_SUBSCRIPTION_KEY: string
  SHOP_KEY: string
  SHOP_SECRET: string
  /** The secret of the webhooks that the shop sends, once it is told where to. */
  SHOP_WEBHOOK_SECRET: string
  TEXTS_KEY: string
  /** `whsec_…` */
  BUS_SECRET: string
}

/** Where each part listens; any free port where it does not say. */
interface SandboxPorts {
  platform?: number
  shop?: number
  mailbox?: number
  smtp?: number
  texts?: number
  bus?: number
}

/** Everything around a hub: the platform with its POS, the online shop, the mailbox, the phone, the bus. */
export interface Sandbox extends AsyncDisposable {
  platform: SandboxPlatform
  shop: Shop
  mailbox: Mailbox
  texts: Texts
  bus: Bus
  /** The values that a hub on config/demo.yaml is to be given for these parts. */
  env: Record<string, string>
}

/** The settings of a sandbox, all of them optional. */
interface SandboxOptions {
  ports?: SandboxPorts
  /** The time on all clocks. */
  now?: () => number
  /** Whether the platform has 2,000 variants besides what the POS sell; yes, if nobody says. */
  seedCatalogue?: boolean
  /** How the platform speaks; `facts`, if nobody says. */
  dialect?: DialectName
  /** The same seed makes the same day of the platform. */
  seed?: number
}

/** Starts it all. The shop holds what the POS sell, but for one article. */
export async function startSandbox(keys: SandboxKeys, options: SandboxOptions = {}): Promise<Sandbox> {
  const { ports = {}, now = Date.now, seedCatalogue = true, dialect = 'facts', seed } = options
  await using opened = new AsyncDisposableStack()
  const platform = opened.use(
    await startPlatform({
      port: ports.platform ?? 0,
      apiKey: keys.PLATFORM_API_KEY,
      subscriptionKey: keys.PLATFORM_SUBSCRIPTION_KEY,
      now,
      seedCatalogue,
      dialect,
      ...(seed !== undefined && { seed }),
    }),
  )
  const shop = opened.use(
    await startShop({
      port: ports.shop ?? 0,
      consumerKey: keys.SHOP_KEY,
      consumerSecret: keys.SHOP_SECRET,
      now,
      products: ASSORTMENT.map(({ name, sku, gtin, cents }) => ({
        name,
        sku,
        globalUniqueId: gtin,
        price: (cents / 100).toFixed(2),
      })),
    }),
  )
  const mailbox = opened.use(await startMailbox({ port: ports.mailbox ?? 0, smtpPort: ports.smtp ?? 0 }))
  const texts = opened.use(await startTexts({ port: ports.texts ?? 0, apiKey: keys.TEXTS_KEY }))
  const bus = opened.use(await startBus({ port: ports.bus ?? 0, secret: keys.BUS_SECRET }))
  const open = opened.move()
  const { TEXTS_KEY, ...rest } = keys
  const env = {
    ...rest,
    TEXTS_AUTHORIZATION: `Bearer ${TEXTS_KEY}`,
    PLATFORM_URL: platform.apiUrl,
    PLATFORM_PRESET: PRESET_OF[dialect],
    // The specification has no way to ask whether what a webhook says is so.
    TRUST_WEBHOOKS: String(dialect === 'spec'),
    SHOP_URL: shop.url,
    MAIL_URL: mailbox.smtpUrl,
    TEXTS_URL: `${texts.url}/messages`,
    BUS_URL: bus.url,
  }
  return { platform, shop, mailbox, texts, bus, env, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** The preset that a hub has for a platform which speaks so. */
const PRESET_OF: Readonly<Record<DialectName, string>> = {
  spec: 'spec',
  facts: 'spec',
  'frontsystems-v2': 'frontsystems-v2',
}
