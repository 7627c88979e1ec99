import { createHash } from 'node:crypto'

/**
 * A short name of an effect, for places that people read: the reason of a refund is saved with it, its meta data only
 * after the payment provider was asked.
 */
export function referenceOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 12)
}
