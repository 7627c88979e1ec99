import type { ShownSubscription } from '../../admin/platform.ts'
import { html } from '../html.ts'
import { act, answerOr, badge, firstOf, said, table } from '../parts.ts'
import type { Answer } from '../visit.ts'

/** As the platform lists them now. */
export const subscriptions: Answer = async (visit) => {
  const { t, stores } = visit
  const { answer, why } = await answerOr(visit.ask<{ subscriptions: ShownSubscription[] }>('GET /subscriptions'))
  const numbers = new Map(stores.map(({ storeId, number }) => [storeId, number ?? storeId]))
  const columns = [
    { head: t('kind'), cell: ({ event }: ShownSubscription) => event },
    {
      head: t('store'),
      cell: ({ storeId }: ShownSubscription) =>
        storeId === null ? t('stores.all') : (numbers.get(storeId) ?? storeId),
    },
    { head: t('subscriptions.to'), cell: ({ url }: ShownSubscription) => url },
    {
      head: t('state'),
      cell: ({ own, token }: ShownSubscription) => {
        if (own !== true) return badge('plain', t('subscriptions.foreign'))
        if (token === 'refused') return badge('bad', t('subscriptions.refused'))
        return badge(
          token === 'first' ? 'good' : 'wait',
          t(token === 'first' ? 'subscriptions.good' : 'subscriptions.old'),
        )
      },
    },
  ]
  return {
    title: t('subscriptions.title'),
    body: html`<p>${t('subscriptions.means')}</p>
<div class="actions">${act(visit, { route: 'POST /jobs/:name/run', params: { name: 'subscriptions' }, words: 'subscriptions.repair' })}</div>
${answer ? firstOf(visit, answer.subscriptions.toSorted(wrongFirst), (rows) => table(t('subscriptions.title'), columns, rows, t('subscriptions.none'))) : said('wait', why)}`,
  }
}

function wrongFirst(one: ShownSubscription, other: ShownSubscription): number {
  return Number(isRight(one)) - Number(isRight(other))
}

function isRight({ own, token }: ShownSubscription): boolean {
  return own === true && token === 'first'
}
