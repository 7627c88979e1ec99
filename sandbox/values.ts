/* What the sandbox knows of a hub beside it: `tillbridge init --sandbox` writes a config with the same values. */

/** Keys of the sandbox's parts. They are nobody's secrets: everything listens on this machine only, and erases everything. */
export const SANDBOX_KEYS = {
  PLATFORM_API_KEY: 'sandbox-api-key',
  PLATFORM_SUBSCRIPTION_KEY: 'sandbox-subscription-key',
  SHOP_KEY: 'ck_sandbox',
  SHOP_SECRET: 'cs_sandbox',
  SHOP_WEBHOOK_SECRET: 'sandbox-webhook-secret',
  TEXTS_KEY: 'sandbox-texts-key',
  BUS_SECRET: 'whsec_c2FuZGJveC1zZWNyZXQtb2YtdGhlLWJ1cy0xMjM0NTY=',
}

export const SANDBOX_PORTS = { platform: 8091, shop: 8092, mailbox: 8093, smtp: 8094, texts: 8095, bus: 8096 }

/** The values that a hub beside the sandbox is given, under the names that config/demo.yaml has for them; the rest the sandbox prints. */
export const HUB_VALUES = {
  HUB_PORT: '8080',
  HUB_URL: 'http://127.0.0.1:8080',
  STORE_URL: 'file:./data/sandbox.db',
  ERP_FOLDER: './data/erp',
  /** The sandbox's POS send it. */
  POS_TOKEN: 'sandbox-pos-token',
}
