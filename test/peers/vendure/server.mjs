// A real Vendure server for the tests of the vendure adapter: it fills the empty database of a folder, says its address on a
// line that begins with "ready", and ends when its standard input does. Usage: node server.mjs <data folder>
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

process.env.VENDURE_DISABLE_TELEMETRY = 'true'

const require = createRequire(import.meta.url)
const { bootstrap, DefaultLogger, LanguageCode, LogLevel, PaymentMethodHandler } = require('@vendure/core')
const { populate } = require('@vendure/core/cli')

const [, , folder] = process.argv
if (!folder) throw new Error('usage: node server.mjs <data folder>')

/** Whether the payment service is to refuse this call: it is told so by a file, once. */
function isRefused(call) {
  const reported = join(folder, `refuse-${call}`)
  if (!existsSync(reported)) return false
  rmSync(reported)
  return true
}

const answerTo = (call) => (isRefused(call) ? { success: false, errorMessage: 'refused' } : { success: true })

/** A payment service that does what it is asked, unless it is to refuse: it reserves first, takes later, and refunds. */
const card = new PaymentMethodHandler({
  code: 'card-service',
  description: [{ languageCode: LanguageCode.en, value: 'A payment service for tests' }],
  args: {},
  createPayment: (_ctx, _order, amount) => ({ amount, state: 'Authorized', transactionId: `card-${randomUUID()}` }),
  settlePayment: () => answerTo('settlePayment'),
  cancelPayment: () => answerTo('cancelPayment'),
  createRefund: () => ({
    state: isRefused('createRefund') ? 'Failed' : 'Settled',
    transactionId: `back-${randomUUID()}`,
  }),
})

const text = { type: 'string', nullable: true }

const config = {
  apiOptions: { hostname: '127.0.0.1', port: 0, adminApiPath: 'admin-api', shopApiPath: 'shop-api', cors: false },
  authOptions: {
    tokenMethod: ['bearer', 'api-key'],
    superadminCredentials: { identifier: process.env.OWNER_NAME, password: process.env.OWNER_PASSWORD },
    requireVerification: false,
  },
  dbConnectionOptions: {
    type: 'better-sqlite3',
    database: join(folder, 'shop.sqlite'),
    synchronize: true,
    logging: false,
  },
  importExportOptions: { importAssetsDir: folder },
  paymentOptions: { paymentMethodHandlers: [card] },
  customFields: {
    ProductVariant: [{ name: 'gtin', ...text }],
    Order: [
      { name: 'posNumber', ...text },
      { name: 'pickupStore', ...text },
    ],
  },
  logger: new DefaultLogger({ level: LogLevel.Error }),
}

const countries = [
  { name: 'Norway', code: 'NO', zone: 'Europe' },
  { name: 'Sweden', code: 'SE', zone: 'Europe' },
]

const initialData = {
  defaultLanguage: LanguageCode.en,
  defaultZone: 'Europe',
  countries,
  taxRates: [{ name: 'Standard', percentage: 25 }],
  shippingMethods: [],
  paymentMethods: [],
  collections: [],
}

// The port is the system's choice: Vendure itself would not say it.
const app = await populate(() => bootstrap(config), initialData)
process.stdout.write(`ready http://127.0.0.1:${app.getHttpServer().address().port}\n`)

process.stdin.on('end', () => process.exit(0)).resume()
