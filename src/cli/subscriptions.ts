import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import type { ShownSubscription, SubscriptionsRemoved } from '../admin/subscriptions.ts'
import { UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { createClient } from './shared/client.ts'
import { EXIT } from './shared/exit.ts'
import { changing } from './shared/options.ts'
import { show, tableOf } from './shared/output.ts'
import { asks, group, joined } from './shared/question.ts'

const OWN = { first: 'this hub', other: 'this hub, with another token', refused: 'this hub, which refuses its token' }

const list = asks<{ subscriptions: ShownSubscription[] }>('list', 'GET /admin/subscriptions', {
  about: 'What the platform sends where',
  text: ({ subscriptions: all }) => joined([subscriptionTable(all), tokensText(all)], '\n\n'),
})

const remove = changing(new Command('remove'))
  .description('Remove subscriptions at the platform: by their ids, or all of an address')
  .argument('[ids...]')
  .option('--url <address>', 'all that send to the hub with this server.publicUrl')
  .option('--own', 'also those that send to this hub, which gets nothing then')
  .option('--yes', 'do not ask')
  .action(async (ids: string[], { url, own = false, yes, dryRun = false, reason = null, json }) => {
    const client = await createClient(process.env)
    const asked = { ...(ids.length > 0 && { ids }), ...(url && { url }), own, reason }
    const ask = (dry: boolean) =>
      client.post<SubscriptionsRemoved>('/admin/subscriptions/remove', { ...asked, dryRun: dry })
    const would = await ask(true)
    const count = would.removed.length
    if (dryRun) return show(json, would, () => removedText(would, 'would be removed. Nothing was changed'))
    if (count > 0 && !yes)
      await confirm(subscriptionTable(would.removed), `Remove these ${pluralize(count, 'subscription')}`)
    const done = count > 0 ? await ask(false) : would
    show(json, done, () => removedText(done, `${count === 1 ? 'is' : 'are'} removed`))
    if (done.failed.length > 0) process.exitCode = EXIT.problem
  })

export const subscriptions = group('subscriptions', 'What the platform sends to whom', list, remove)

async function confirm(shown: string, question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new UserError(`${question} at the platform? Say --yes, or look at them first.`)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    console.error(shown)
    const answer = await asking.question(`${question} at the platform? (yes/no) `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was changed.')
  } finally {
    asking.close()
  }
}

function removedText({ removed, failed }: SubscriptionsRemoved, done: string): string {
  return joined([
    `${pluralize(removed.length, 'subscription')} ${done}.`,
    removed.length > 0 && `\n${subscriptionTable(removed)}`,
    failed.length > 0 && `\n${tableOf({ 'not removed': 'id', why: 'why' }, failed, '')}`,
  ])
}

function subscriptionTable(rows: readonly ShownSubscription[]): string {
  const whose = ({ own, token }: ShownSubscription) => (own === true ? OWN[token ?? 'refused'] : null)
  const columns = { id: 'id', event: 'event', store: 'storeId', 'sends to': 'url', '': whose } as const
  return tableOf(columns, rows, 'The platform has no subscriptions.')
}

function tokensText(rows: readonly ShownSubscription[]): string | null {
  const own = rows.filter((one) => one.own === true)
  const late = own.filter(({ token }) => token !== 'first').length
  if (own.length === 0) return null
  return late === 0
    ? `Each of the ${own.length} that send to this hub has the first token of platform.webhooks.tokens: no other one is needed by them.`
    : `${late} of the ${own.length} that send to this hub have not the first token of platform.webhooks.tokens: leave the others there until they have. To do: tillbridge jobs run subscriptions; or correct them at the platform.`
}
