import { parseArgs } from 'node:util'
import { type DialectName, readDialect } from '../sandbox/platform/dialects/dialect.ts'
import { startSandbox } from '../sandbox/sandbox.ts'

/* npm run sandbox: the platform with its tills, a shop, a mailbox, a phone and a bus, to try a hub of your own against. */

const dialect = askedDialect()

/** They are nobody's secrets: everything listens on this machine only, and forgets everything. */
const KEYS = {
  PLATFORM_API_KEY: 'sandbox-api-key',
  PLATFORM_SUBSCRIPTION_KEY: 'sandbox-subscription-key',
  SHOP_KEY: 'ck_sandbox',
  SHOP_SECRET: 'cs_sandbox',
  SHOP_WEBHOOK_SECRET: 'sandbox-webhook-secret',
  TEXTS_KEY: 'sandbox-texts-key',
  BUS_SECRET: 'whsec_c2FuZGJveC1zZWNyZXQtb2YtdGhlLWJ1cy0xMjM0NTY=',
}

const PORTS = { platform: 8091, shop: 8092, mailbox: 8093, smtp: 8094, texts: 8095, bus: 8096 }

const HUB = {
  ADMIN_TOKEN: 'sandbox-admin-token',
  WEBHOOK_TOKEN: 'sandbox-webhook-token',
  HUB_PORT: '8080',
  HUB_URL: 'http://127.0.0.1:8080',
  STORE_URL: 'file:./data/sandbox.db',
  TILL_TOKEN: 'sandbox-till-token',
  ERP_FOLDER: './data/erp',
  TILLBRIDGE_CONFIG: 'config/demo.yaml',
}

const { platform, shop, mailbox, texts, bus, env } = await startSandbox(KEYS, { ports: PORTS, dialect }).catch(
  (error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    console.log('Some of the ports 8091 to 8096 are taken: any free ones are used instead.')
    return startSandbox(KEYS, { dialect })
  },
)
shop.sendWebhooksTo({ url: `${HUB.HUB_URL}/intake/shop`, secret: KEYS.SHOP_WEBHOOK_SECRET })
platform.lookups.connect({
  customers: { url: `${HUB.HUB_URL}/api/customers/search`, token: HUB.TILL_TOKEN },
  orders: { url: `${HUB.HUB_URL}/api/orders/search`, token: HUB.TILL_TOKEN },
})
console.log(`The sandbox is open, and its platform speaks the dialect ${dialect}:
  till and platform   ${platform.url}
  online shop         ${shop.url}
  mailbox             ${mailbox.url}
  phone               ${texts.url}
  event bus           ${bus.url}

A hub that is connected to all of it, in another terminal:

${Object.entries({ ...HUB, ...env })
  .map(([name, value]) => `export ${name}='${value}'`)
  .join('\n')}
mkdir -p ${HUB.ERP_FOLDER}
npm start

Sell something:
  curl -X POST ${platform.url}/sandbox/endless-aisle
Or order something on the page of the online shop, and lay it ready at the till, under Orders.
Ctrl-C ends it.`)

/** What the command line says; ends the program with 2 where it says something else. */
function askedDialect(): DialectName {
  try {
    return readDialect(parseArgs({ options: { dialect: { type: 'string', default: 'facts' } } }).values.dialect)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
