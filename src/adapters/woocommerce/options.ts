import { z } from 'zod'
import { isLinkLocal } from '../../lib/http-addresses.ts'
import { secret } from '../../lib/secret.ts'
import { checkedText } from '../http-options.ts'

/** What an operator writes under a destination with `adapter: woocommerce`. */
export const WooCommerceOptions = z.strictObject({
  url: checkedText(urlFault).describe(
    'The address of the shop, without /wp-json: https, or http where a proxy before the shop adds TLS.',
  ),
  consumerKey: secret(credential('ck_')).describe('Consumer key of a REST API key with read and write permission.'),
  consumerSecret: secret(credential('cs_')).describe('Consumer secret of the same REST API key.'),
})

export type WooCommerceOptions = z.output<typeof WooCommerceOptions>

/** As WooCommerce makes them. Long enough that hiding one in a message hides nothing else. */
function credential(prefix: string): z.ZodString {
  return z
    .string()
    .regex(/^[\x21-\x39\x3b-\x7e]{8,}$/, `Must be as the shop shows it (${prefix}…): at least 8 characters, no space.`)
}

function urlFault(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return 'Must be an http or https URL.'
  if (url.username || url.password) return 'Must not have a user or a password: give consumerKey and consumerSecret.'
  if (url.search || url.hash) return 'Must not have a query or a fragment.'
  if (/\/wp-json(\/|$)/.test(url.pathname)) return 'Must end before /wp-json, which Tillbridge adds.'
  return isLinkLocal(url.hostname) ? 'Must not be a link-local address.' : null
}
