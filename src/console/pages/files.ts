import { addDays } from '../../domain/values/instant.ts'
import type { BookedAgain } from '../../ingest/book-again.ts'
import { html, NOTHING } from '../html.ts'
import { actForm, facts, number, today } from '../parts.ts'
import type { Answer, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

interface Config {
  destinations: { name: string; adapter: string }[]
}

/** What a destination has lost of some days: first how much of which day. */
export const files: Answer = async (visit) => {
  const { t } = visit
  return {
    title: t('files.title'),
    body: html`<p>${t('files.means')}</p>${await form(visit)}`,
  }
}

async function form(visit: Visit) {
  const { t, form: given } = visit
  const { config } = await visit.ask<{ config: Config }>('GET /config')
  const writers = config.destinations.filter(({ adapter }) => adapter === 'files')
  if (writers.length === 0) return html`<p class="quiet">${t('files.none')}</p>`
  const day = today(visit, visit.stores)
  const options = writers.map(({ name }) => [name, name] as const)
  const inputs = [
    { name: 'destination', label: t('destination'), options, value: given.destination },
    { name: 'from', label: t('filter.from'), type: 'date' as const, value: given.from ?? addDays(day, -7) },
    { name: 'to', label: t('filter.to'), type: 'date' as const, value: given.to ?? day },
  ]
  return actForm(visit, { route: 'POST /files/again', words: 'files.preview', inputs, reason: 'none' })
}

export const filesAgain: Answer = async (visit) => {
  const { t, form: given } = visit
  const { destination = '', from = '', to = '', step, reason } = given
  const asked = { destination, from, to, dryRun: step !== 'do', reason: reason?.trim() || null }
  const done = await visit.ask<BookedAgain>('POST /files/again', { asked })
  if (step === 'do') return afterAct(visit, done.act)
  const fields = { destination, from, to, step: 'do', back: '/files' }
  const days = Object.entries(done.days).map(([day, flows]) => {
    const each = Object.entries(flows).map(([flow, count]) => `${flow} ${number(visit, count)}`)
    return [day, each.join(', ')] as const
  })
  return {
    title: t('files.title'),
    body: html`<p class="health ${done.records === 0 ? 'wait' : 'plain'}">${destination}: ${t('files.records', { n: done.records })}</p>${facts(days)}
${done.records === 0 ? NOTHING : actForm(visit, { route: 'POST /files/again', fields, words: 'files.again', reason: 'required' })}
${await form(visit)}`,
  }
}
