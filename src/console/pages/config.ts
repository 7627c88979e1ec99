import type { Reloaded } from '../../admin/context.ts'
import { html, NOTHING } from '../html.ts'
import { act, actForm, said, section } from '../parts.ts'
import type { Answer, Shown, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

/** As it runs, secrets masked. */
export const config: Answer = async (visit) => await show(visit, null)

/** Of the file as it is now; nothing is taken in. */
export const checkConfig: Answer = async (visit) =>
  await show(visit, await visit.ask<Reloaded>('POST /reload', { asked: { dryRun: true } }))

async function show(visit: Visit, checked: Reloaded | null): Promise<Shown> {
  const { t } = visit
  const { config: shown } = await visit.ask<{ config: object }>('GET /config')
  return {
    title: t('config.title'),
    body: html`${checked === null ? NOTHING : verdict(visit, checked)}
<div class="actions">${act(visit, { route: 'POST /config/check', words: 'config.check' })}</div>
${section('reload', t('config.reload'), html`<p>${t('config.reload-means')}</p>${actForm(visit, { route: 'POST /config/reload', words: 'config.reload', reason: 'optional' })}`)}
${section('runs', t('config.runs'), html`<pre tabindex="0">${JSON.stringify(shown, null, 2)}</pre>`)}`,
  }
}

function verdict({ t }: Visit, { file, changed, warnings }: Reloaded) {
  const words =
    changed.length === 0 ? t('config.same', { file }) : t('config.changed', { file, keys: changed.join(', ') })
  return html`${said('good', words)}${warnings.map(({ path, found, expected, line }) => said('wait', `${path} (${line}): ${found}, ${expected}`))}`
}

export const reload: Answer = async (visit) => {
  await visit.ask<Reloaded>('POST /reload', { asked: { reason: visit.form.reason?.trim() || null } })
  return afterAct(visit)
}
