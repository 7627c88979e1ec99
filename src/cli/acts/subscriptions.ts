import { createInterface } from 'node:readline/promises'
import { Command } from 'commander'
import type { ShownSubscription, SubscriptionsRemoved } from '../../admin/subscriptions.ts'
import { counted } from '../../domain/values/counted.ts'
import { UserError } from '../../domain/values/errors.ts'
import { createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { changing } from '../shared/options.ts'
import { show, table } from '../shared/print.ts'

const list = new Command('list')
  .description('What the platform sends, and where to')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<{ subscriptions: ShownSubscription[] }>('/admin/subscriptions')
    show(json, found, () => [subscriptionTable(found.subscriptions), ...tokensText(found.subscriptions)].join('\n\n'))
  })

const remove = changing(new Command('remove'))
  .description('Remove subscriptions at the platform: by their ids, or all that send to a hub that is gone')
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
    if (dryRun) {
      show(json, would, () => removedText(would, 'would be removed. Nothing was changed'))
      return
    }
    if (would.removed.length > 0 && !yes) await confirm(would.removed)
    const done = would.removed.length > 0 ? await ask(false) : would
    show(json, done, () => removedText(done, `${would.removed.length === 1 ? 'is' : 'are'} removed`))
    if (done.failed.length > 0) process.exitCode = EXIT.problem
  })

export const subscriptions = new Command('subscriptions')
  .description('What the platform sends to whom')
  .addCommand(list)
  .addCommand(remove)

/** Throws a UserError where a person does not say yes. */
async function confirm(chosen: readonly ShownSubscription[]): Promise<void> {
  if (!process.stdin.isTTY)
    throw new UserError(
      `${counted(chosen.length, 'subscription')} would be removed. Say --yes, or look first with --dry-run.`,
    )
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  try {
    console.error(subscriptionTable(chosen))
    const answer = await asking.question(`Remove these ${chosen.length} at the platform? (yes/no) `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was removed.')
  } finally {
    asking.close()
  }
}

function removedText({ removed, failed }: SubscriptionsRemoved, done: string): string {
  return [
    `${counted(removed.length, 'subscription')} ${done}.`,
    ...(removed.length > 0 ? ['', subscriptionTable(removed)] : []),
    ...(failed.length > 0
      ? [
          '',
          table(
            ['not removed', 'why'],
            failed.map(({ id, why }) => [id, why]),
            '',
          ),
        ]
      : []),
  ].join('\n')
}

function subscriptionTable(rows: readonly ShownSubscription[]): string {
  return table(
    ['id', 'event', 'store', 'sends to', ''],
    rows.map(({ id, event, storeId, url, own, token }) => [
      id,
      event,
      storeId,
      url,
      own === true ? ownText(token) : null,
    ]),
    'The platform has no subscriptions.',
  )
}

function ownText(token: ShownSubscription['token']): string {
  if (token === 'first') return 'this hub'
  return token === 'other' ? 'this hub, with another token' : 'this hub, which refuses its token'
}

/** Whether a token may be taken out of config. */
function tokensText(rows: readonly ShownSubscription[]): string[] {
  const own = rows.filter((one) => one.own === true)
  const late = own.filter(({ token }) => token !== 'first').length
  if (own.length === 0) return []
  return [
    late === 0
      ? `Each of the ${own.length} that send to this hub has the first token of platform.webhooks.tokens: no other one is needed by them.`
      : `${late} of the ${own.length} that send to this hub have not the first token of platform.webhooks.tokens: leave the others there until they have. To do: tillbridge jobs run subscriptions; or correct them at the platform.`,
  ]
}
