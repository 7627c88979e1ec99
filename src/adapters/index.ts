import type { Adapter } from './adapter.ts'
import http from './http/http.ts'
import smsHttp from './sms-http/sms-http.ts'
import smtp from './smtp/smtp.ts'
import woocommerce from './woocommerce/woocommerce.ts'

/** The adapters that come with Tillbridge: what `adapter:` in config may name. Add a new one here. */
export const builtInAdapters: readonly Adapter[] = [http, smsHttp, smtp, woocommerce]
