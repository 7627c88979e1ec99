import type { Request } from 'express'
import { createTokenCheck } from '../tokens.ts'
import type { Act } from './act.ts'
import { RestError } from './rest-error.ts'

/** An API key of the shop. */
export interface ShopKey {
  consumerKey: string
  consumerSecret: string
  permissions: 'read' | 'write' | 'read_write'
  /** The role of the user whose key it is: a shop manager makes no users. */
  role: 'administrator' | 'shop_manager'
}

const REFUSALS: Record<Act, [code: string, message: string]> = {
  list: ['woocommerce_rest_cannot_view', 'Sorry, you cannot list resources.'],
  view: ['woocommerce_rest_cannot_view', 'Sorry, you cannot view this resource.'],
  create: ['woocommerce_rest_cannot_create', 'Sorry, you are not allowed to create resources.'],
  edit: ['woocommerce_rest_cannot_edit', 'Sorry, you are not allowed to edit this resource.'],
  delete: ['woocommerce_rest_cannot_delete', 'Sorry, you are not allowed to delete this resource.'],
  batch: ['woocommerce_rest_cannot_batch', 'Sorry, you are not allowed to batch manipulate this resource.'],
}

/**
 * The asker, as WooCommerce finds out over https: the key and secret of the query string, else of Basic authentication.
 * A wrong secret is refused at once; no key, or an unknown one, is only nobody, who may then do nothing: the second step
 * comes after the parameters were checked.
 */
export function createAuthentication(key: ShopKey) {
  const isKey = createTokenCheck([key.consumerKey])
  const isSecret = createTokenCheck([key.consumerSecret])

  return {
    /** Whether the request has the shop's key. Throws RestError `woocommerce_rest_authentication_error`. */
    identify(request: Request, query: URLSearchParams): boolean {
      const [consumerKey, consumerSecret] = credentials(request, query)
      if (!isKey(consumerKey) || !consumerSecret) return false
      if (!isSecret(consumerSecret)) throw refused('Consumer secret is invalid.')
      const reads = request.method === 'GET' || request.method === 'HEAD'
      if (reads && key.permissions === 'write') throw refused('The API key provided does not have read permissions.')
      if (!reads && key.permissions === 'read') throw refused('The API key provided does not have write permissions.')
      return true
    },
    /** Throws RestError unless somebody with a key asks, or whose role may not. */
    allow(known: boolean, { act, makesUsers = false }: { act: Act; makesUsers?: boolean }): void {
      if (!known) throw new RestError(401, ...REFUSALS[act])
      if (makesUsers && key.role !== 'administrator') throw new RestError(403, ...REFUSALS[act])
    },
  }
}

function credentials(request: Request, query: URLSearchParams): [key: string, secret: string] {
  const key = query.get('consumer_key')
  const secret = query.get('consumer_secret')
  if (key && secret) return [key, secret]
  const encoded = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  return colon === -1 ? ['', ''] : [decoded.slice(0, colon), decoded.slice(colon + 1)]
}

function refused(message: string): RestError {
  return new RestError(401, 'woocommerce_rest_authentication_error', message)
}
