import { PermanentError } from '../../domain/values/errors.ts'
import type { Examined } from '../../ports/examined.ts'
import { troubleFound } from '../shared/examine.ts'
import { clockFound } from '../shared/examine-clock.ts'
import { CLOCKS } from './orders/find-order.ts'
import type { Shop } from './shop.ts'

/** The rights of the role, for orders; a test with a real server has these and no others (docs/adapters/vendure.md). */
const RIGHTS = 'ReadOrder CreateOrder UpdateOrder DeleteOrder ReadPaymentMethod ReadCatalog ReadCustomer'.split(' ')

/** For stock and for customers, which not every shop is told; a customer who is forgotten is deleted. */
const MORE = ['UpdateCatalog', 'CreateCustomer', 'UpdateCustomer', 'DeleteCustomer']

/** Looks at a shop: nothing in it is changed. Throws as a call does where it gets no further. */
export async function examineShop(shop: Shop, signal: AbortSignal): Promise<Examined[]> {
  const { api, operations } = shop
  const { value: channel, headers } = await api.runWhole(operations.channel, {}, signal).catch(whoAsks)
  return [
    { what: 'connection', state: 'ok', says: 'Its Admin API answers.' },
    { what: 'credentials', state: 'ok', says: 'It knows who we are.' },
    { what: 'channel', state: 'ok', says: `What is asked is about the channel ${channel.code}.` },
    await lookAtRights(shop, channel, signal),
    await lookAtFields(shop, signal),
    ...clockFound(headers.date, Date.now(), CLOCKS),
  ]
}

/** The question wants no right but to be somebody: an asker who is forbidden that is not known. */
function whoAsks(error: unknown): never {
  if (!(error instanceof PermanentError && error.code === 'vendure-forbidden')) throw error
  throw new PermanentError(error.message, { code: 'vendure-unauthorized', cause: error })
}

async function lookAtRights(
  { api, operations, options }: Shop,
  { id, code }: { id: string; code: string },
  signal: AbortSignal,
): Promise<Examined> {
  if (options.apiKey !== undefined) return NOT_TOLD
  const me = await api.run(operations.me, {}, signal)
  return judgeRights(me?.channels.find((one) => one.id === id)?.permissions ?? [], code)
}

/** Vendure tells only administrators who they are. */
const NOT_TOLD: Examined = {
  what: 'rights',
  state: 'note',
  says: 'Vendure does not tell an API key its rights: whether it may write shows with the first call.',
}

/** Pure. */
function judgeRights(granted: readonly string[], channel: string): Examined {
  const lacking = [...RIGHTS, ...MORE].filter((right) => !granted.includes(right) && !granted.includes('SuperAdmin'))
  if (lacking.length === 0) return { what: 'rights', state: 'ok', says: 'Our role has every right that is needed.' }
  const says = `In the channel ${channel}, our role lacks ${lacking.join(', ')}.`
  if (lacking.some((right) => RIGHTS.includes(right)))
    return { what: 'rights', state: 'problem', says, todo: 'give the role what it lacks, under Settings → Roles.' }
  const todo = 'give it to the role, under Settings → Roles, unless this shop is told no stock, or no customers.'
  return { what: 'rights', state: 'note', says, todo }
}

/** With which a server refuses a document; most do by the status already. */
const MISFITS = ['http-400', 'vendure-graphql-validation-failed']

/** Whether it has the fields that the adapter asks for, those of config too: servers refuse documents with any other. */
async function lookAtFields({ api, operations, options }: Shop, signal: AbortSignal): Promise<Examined> {
  try {
    await api.run(operations.variants, { options: { take: 1 } }, signal)
    await api.run(operations.orders, { options: { take: 1 }, history: { take: 1 } }, signal)
    return { what: 'version', state: 'ok', says: 'Its API has every field that is asked for.' }
  } catch (error) {
    if (!(error instanceof PermanentError)) throw error
    if (!MISFITS.includes(error.code)) return troubleFound(error)
    const { gtinField, numberField, pickup } = options
    const own = [gtinField, numberField, pickup?.placeField].filter((name) => name !== undefined)
    const asked = own.length > 0 ? `a custom field of config (${own.join(', ')}) is not there, or it is` : 'it is'
    return {
      what: 'version',
      state: 'problem',
      says: `Its API lacks a field that is asked for: ${asked} another version than 3.7.`,
      todo: "compare gtinField, numberField and pickup.placeField with the shop's custom fields.",
    }
  }
}
