import type { ErasedPerson } from '../../admin/data-subjects.ts'
import type { Exported, FoundPerson } from '../../privacy/report.ts'
import { type Html, html, NOTHING } from '../html.ts'
import { actForm, facts, link, number, said, section } from '../parts.ts'
import type { Answer, Shown, Visit } from '../visit.ts'

/** What is here of somebody; the audit has who asked. Whom it is about stands in no address. */
export const people: Answer = async (visit) => ({
  title: visit.t('people.title'),
  body: html`<p>${visit.t('people.means')}</p>${findForm(visit)}`,
})

function findForm(visit: Visit): Html {
  const { t, form } = visit
  const inputs = [
    { name: 'who', label: t('people.who'), value: form.who, required: true as const },
    { name: 'also', label: t('people.also'), value: form.also },
  ]
  return actForm(visit, { route: 'POST /people/find', words: 'people.find', inputs, reason: 'optional' })
}

function askedOf({ form }: Visit, how: object = {}) {
  const { who = '', also = '', reason = '' } = form
  return { who, also: also.split(/\s+/).filter(Boolean), reason: reason.trim() || null, ...how }
}

export const findPerson: Answer = async (visit) => {
  const { t, form } = visit
  const found = await visit.ask<FoundPerson>('POST /people/find', { asked: askedOf(visit) })
  const fields = { who: form.who, also: form.also }
  return {
    title: t('people.found'),
    body: html`${found.isAmbiguous ? said('wait', t('people.ambiguous')) : NOTHING}
${found.held.length > 0 ? said('wait', t('people.on-hold', { n: found.held.length })) : NOTHING}
${summary(visit, found)}
${visit.may('POST /people/export') ? section('export', t('people.export'), actForm(visit, { route: 'POST /people/export', fields, words: 'people.export', reason: 'required' })) : NOTHING}
${visit.may('POST /people/erase') ? section('erase', t('people.erase'), html`<p>${t('people.erase-means')}</p>${eraseForm(visit, 'people.erase-preview', {})}`) : NOTHING}
${section('again', t('people.find'), findForm(visit))}`,
  }
}

function summary(visit: Visit, found: FoundPerson): Html {
  const { t } = visit
  const waiting = found.open.map((id) => html`${link(`/deliveries/${id}`, id)} `)
  return facts([
    [t('people.ids'), found.customerIds.join(', ')],
    [t('search.email'), found.emails.join(', ')],
    [t('search.phone'), found.phones.join(', ')],
    [t('events.title'), number(visit, found.events)],
    ...Object.entries(found.touched).map(([place, count]) => [place, number(visit, Number(count))] as const),
    [t('people.open'), waiting.length === 0 ? null : html`${waiting}`],
    [t('people.systems'), found.notified.map(({ destination }) => destination).join(', ')],
    [t('people.archived'), found.files.archived.map(({ file }) => file).join(', ')],
  ])
}

/** As JSON, to be saved. */
export const exportPerson: Answer = async (visit) => ({
  file: 'data-subject.json',
  json: await visit.ask<Exported>('POST /people/export', { asked: askedOf(visit) }),
})

/** First what would go; then, on the same page, the act. */
export const erase: Answer = async (visit) => {
  const { t, form } = visit
  const isSure = form.step === 'do'
  const how = { dryRun: !isSure, skipOpen: form.skipOpen === 'yes' }
  const erased = await visit.ask<ErasedPerson>('POST /people/erase', { asked: askedOf(visit, how) })
  if (isSure) return done(visit, erased)
  return {
    title: t('people.erase'),
    body: html`<p>${t('people.would-erase')}</p>${summary(visit, erased)}
${eraseForm(visit, 'people.erase-now', { step: 'do' })}`,
  }
}

function eraseForm(
  visit: Visit,
  words: 'people.erase-preview' | 'people.erase-now',
  more: Record<string, string>,
): Html {
  const { who, also, reason, skipOpen } = visit.form
  const isLast = more.step === 'do'
  const skips = html`<label class="check"><input type="checkbox" name="skipOpen" value="yes"${skipOpen === 'yes' ? html` checked` : ''}> <span>${visit.t('people.skip-open')}</span></label>`
  const fields = { who, also, ...more, ...(isLast && { reason, skipOpen }) }
  return actForm(visit, {
    ...{ route: 'POST /people/erase', fields, words },
    ...(isLast ? { reason: 'none' } : { more: skips, reason: 'required' }),
  })
}

function done(visit: Visit, erased: ErasedPerson): Shown {
  const { t } = visit
  const proof = JSON.stringify(erased.proof, null, 2)
  return {
    title: t('people.erased'),
    body: html`${said('good', t('people.keep-proof'))}${summary(visit, erased)}
${section('proof', t('people.proof'), html`<pre tabindex="0">${proof}</pre>`)}`,
  }
}
