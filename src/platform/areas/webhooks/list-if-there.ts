import { isNoEndpoint } from '../../../domain/values/errors.ts'
import type { Listed } from '../../http/listed.ts'
import type { Platform, Subscription } from '../../platform.ts'

export interface ListSource {
  platform: Pick<Platform, 'webhooks'>
  /** Whether the list of subscriptions is known to be there: its 404 proves nothing else. */
  isListProven(): Promise<boolean>
}

/** The platform's list of subscriptions; null: it shows none, as far as anybody knows (spec, Webhooks: no such list is shown). */
export async function listIfThere(
  { platform, isListProven }: ListSource,
  signal?: AbortSignal,
): Promise<Listed<Subscription> | null> {
  try {
    return await platform.webhooks.list(signal)
  } catch (error) {
    if (isNoEndpoint(error) && !(await isListProven())) return null
    throw error
  }
}
