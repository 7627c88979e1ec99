/* What the config of `tillbridge init --sandbox` knows of the sandbox. The two are programs apart: sandbox/values.ts says it again, and a test compares them. */

/** Keys of the sandbox's parts. They are nobody's secrets: everything listens on this machine only, and forgets everything. */
export const SANDBOX_KEYS = {
  PLATFORM_API_KEY: 'sandbox-api-key',
  PLATFORM_SUBSCRIPTION_KEY: 'sandbox-subscription-key',
  SHOP_KEY: 'ck_sandbox',
  SHOP_SECRET: 'cs_sandbox',
  SHOP_WEBHOOK_SECRET: 'sandbox-webhook-secret',
  TEXTS_KEY: 'sandbox-texts-key',
  BUS_SECRET: 'whsec_c2FuZGJveC1zZWNyZXQtb2YtdGhlLWJ1cy0xMjM0NTY=',
}

/** Values for a hub beside the sandbox, under the names that config/demo.yaml has for them; the rest the sandbox tells. */
export const HUB_VALUES = {
  HUB_PORT: '8080',
  HUB_URL: 'http://127.0.0.1:8080',
  STORE_URL: 'file:./data/sandbox.db',
  ERP_FOLDER: './data/erp',
  /** The sandbox's tills send it. */
  TILL_TOKEN: 'sandbox-till-token',
}

/** Where the sandbox's parts listen, in the dialect that it speaks if nobody says. */
export const SANDBOX_PLACES = {
  PLATFORM_URL: 'http://127.0.0.1:8091',
  PLATFORM_PRESET: 'spec',
  TRUST_WEBHOOKS: 'false',
  SHOP_URL: 'http://127.0.0.1:8092',
  MAIL_URL: 'smtp://127.0.0.1:8094',
  TEXTS_URL: 'http://127.0.0.1:8095/messages',
  BUS_URL: 'http://127.0.0.1:8096',
}
