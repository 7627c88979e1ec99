import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DialectName } from '../platform/dialects/dialect.ts'
import { type Sandbox, type SandboxKeys, startSandbox } from '../sandbox.ts'
import { freePort } from './free-port.ts'
import { type HubProcess, startHub } from './hub-process.ts'
import { ROOT } from './start-flags.ts'

/** The sandbox, and a hub that is connected to it as config/demo.yaml says. */
export interface World extends Sandbox {
  hub: HubProcess
  keys: SandboxKeys
  /** Where the hub keeps everything; gone with the world. */
  folder: string
  /** Where the ERP finds its files. */
  erp: string
}

/** Starts everything on free ports and in a folder of its own. */
export async function startWorld(dialect: DialectName): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'tillbridge-demo-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const erp = join(folder, 'erp')
  await mkdir(erp)
  const keys = {
    PLATFORM_API_KEY: secret(),
    PLATFORM_SUBSCRIPTION_KEY: secret(),
    SHOP_KEY: `ck_${secret()}`,
    SHOP_SECRET: `cs_${secret()}`,
    SHOP_WEBHOOK_SECRET: secret(),
    TEXTS_KEY: secret(),
    BUS_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
  }
  const port = await freePort()
  const hubUrl = `http://127.0.0.1:${port}`
  const sandbox = opened.use(await startSandbox(keys, { dialect }))
  sandbox.shop.sendWebhooksTo({ url: `${hubUrl}/intake/shop`, secret: keys.SHOP_WEBHOOK_SECRET })
  const token = secret()
  sandbox.platform.lookups.connect({
    customers: { url: `${hubUrl}/api/customers/search`, token },
    orders: { url: `${hubUrl}/api/orders/search`, token },
  })
  const hub = opened.use(
    await startHub(folder, port, {
      ...sandbox.env,
      ADMIN_TOKEN: secret(),
      WEBHOOK_TOKEN: secret(),
      TILLBRIDGE_CONFIG: join(ROOT, 'config/demo.yaml'),
      HUB_PORT: String(port),
      HUB_URL: hubUrl,
      POS_TOKEN: token,
      ERP_FOLDER: erp,
      STORE_URL: `file:${join(folder, 'tillbridge.db')}`,
    }),
  )
  const open = opened.move()
  return { ...sandbox, hub, keys, folder, erp, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function secret(): string {
  return randomBytes(24).toString('base64url')
}
