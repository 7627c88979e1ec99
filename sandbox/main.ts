import { join } from 'node:path'
import { Command, Option } from 'commander'
import { ROOT } from './demo/start-flags.ts'
import { listenForInterrupt } from './interrupt.ts'
import { DIALECTS, type DialectName } from './platform/dialects/dialect.ts'
import type { Sandbox } from './sandbox.ts'
import { HUB_VALUES, SANDBOX_KEYS, SANDBOX_PORTS } from './values.ts'

async function run(dialect: DialectName): Promise<void> {
  // Whoever asks for help does not wait for all of it.
  const { startSandbox } = await import('./sandbox.ts')
  using interrupt = listenForInterrupt()
  const ended = new Promise<void>((resolve) => interrupt.signal.addEventListener('abort', () => resolve()))
  let asUsual = dialect === 'facts'
  await using sandbox = await startSandbox(SANDBOX_KEYS, { ports: SANDBOX_PORTS, dialect }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    console.log('Some of the ports 8091 to 8096 are taken: any free ones are used instead.')
    asUsual = false
    return startSandbox(SANDBOX_KEYS, { dialect })
  })
  const { platform, shop, mailbox, texts, bus } = sandbox
  shop.sendWebhooksTo({ url: `${HUB_VALUES.HUB_URL}/intake/shop`, secret: SANDBOX_KEYS.SHOP_WEBHOOK_SECRET })
  platform.lookups.connect({
    customers: { url: `${HUB_VALUES.HUB_URL}/api/customers/search`, token: HUB_VALUES.POS_TOKEN },
    orders: { url: `${HUB_VALUES.HUB_URL}/api/orders/search`, token: HUB_VALUES.POS_TOKEN },
  })
  console.log(`The sandbox is open, and its platform speaks the dialect ${dialect}:
  POS and platform    ${platform.url}
  online shop         ${shop.url}
  mailbox             ${mailbox.url}
  phone               ${texts.url}
  event bus           ${bus.url}

A hub that is connected to all of it, in another terminal:

${(asUsual ? BY_INIT : byEnvironment(sandbox)).join('\n')}

Sell something:
  curl -X POST ${platform.url}/sandbox/endless-aisle
Or order something on the page of the online shop, and lay it ready at the POS, under Orders.
Ctrl-C ends it.`)
  await ended
}

const BY_INIT = ['npx tillbridge init --sandbox', 'npx tillbridge start']

/** Where ports or dialect are not those that the config of `init --sandbox` has. */
function byEnvironment({ env }: Sandbox): string[] {
  const own = {
    ADMIN_TOKEN: 'sandbox-admin-token',
    WEBHOOK_TOKEN: 'sandbox-webhook-token',
    TILLBRIDGE_CONFIG: join(ROOT, 'config/demo.yaml'),
  }
  const values = Object.entries({ ...HUB_VALUES, ...own, ...env })
  return [
    ...values.map(([name, value]) => `export ${name}='${value}'`),
    `mkdir -p ${HUB_VALUES.ERP_FOLDER}`,
    'npx tillbridge start',
  ]
}

/** `tillbridge sandbox`. */
export const sandbox = new Command('sandbox')
  .description('Open a platform with its POS, a shop, a mailbox, a phone and a bus, to try a hub against')
  .addOption(
    new Option('--dialect <dialect>', 'how the platform speaks (docs/sandbox.md)').choices(DIALECTS).default('facts'),
  )
  .action(({ dialect }: { dialect: DialectName }) => run(dialect))
