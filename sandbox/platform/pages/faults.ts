import { Router } from 'express'
import { html } from 'hono/html'
import type { Markup } from '../../page.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../stores.ts'
import type { Fault, ReconciliationSource, Sender } from '../webhooks/sender.ts'
import type { Door } from './door.ts'
import type { Form } from './form.ts'
import { type Frame, storeHere, to } from './frame.ts'
import { badge, counted, textField } from './parts.ts'

/** The faults that can happen to webhooks, in words. */
const FAULTS: Readonly<Record<Fault, { name: string; what: string; once: string; next: string }>> = {
  drop: {
    name: 'Lose events',
    what: 'They are never sent. The platform’s log lists them as failed.',
    once: 'Lose the next event',
    next: 'lost',
  },
  duplicate: {
    name: 'Send events twice',
    what: 'Each goes out a second time, under the same event id.',
    once: 'Send the next event twice',
    next: 'sent twice',
  },
  delay: {
    name: 'Delay events',
    what: 'They arrive after those that were sent later.',
    once: 'Delay the next event',
    next: 'delayed',
  },
  foreign: {
    name: 'Let somebody else answer',
    what: 'Another receiver gets them. The platform’s log lists them as delivered.',
    once: 'Let somebody else answer the next event',
    next: 'answered by somebody else',
  },
}

interface Means {
  sender: Pick<Sender, 'set' | 'next' | 'state'>
  burst(count: number): void
}

/** The faults that webhooks may meet on their way, as switches that show how they stand. */
export function createFaultsPage({ sender, burst }: Means, frame: Frame, door: Door): Router {
  const router = Router()
  router.get('/faults', (request, response) =>
    frame(request, response, 'Faults', faultsPage(sender.state(), storeHere(request))),
  )

  door.on('/faults/burst', '/faults', (_, form) => {
    const count = form.whole('count', 'Sales at once', 1, 5_000)
    burst(count)
    return `${counted(count, 'sale')} at once.`
  })
  for (const fault of faults()) {
    door.on(`/faults/${fault}`, '/faults', (_, form) => turn(sender, fault, form), { isPrivate: true })
    const { once } = FAULTS[fault]
    const plan = () => {
      sender.next(fault)
      return `Noted: ${once.toLowerCase()}.`
    }
    door.on(`/faults/next/${fault}`, '/faults', plan, { isPrivate: true })
  }
  return router
}

function faults(): Fault[] {
  return Object.keys(FAULTS) as Fault[]
}

function turn(sender: Means['sender'], fault: Fault, form: Form): string {
  const { source } = sender.state()
  const next = form.has('off') ? { ...source, [fault]: 0 } : { ...source, ...read(fault, form) }
  // One throw of the dice decides for each event.
  if (faults().reduce((sum, one) => sum + Math.round((next[one] ?? 0) * 100), 0) > 100)
    throw new Refusal(400, 'All switches together are above 100 % of events: choose a smaller share.')
  sender.set(next)
  return `${FAULTS[fault].name}: ${stateOf(fault, next)}.`
}

function read(fault: Fault, form: Form): ReconciliationSource {
  const share = { [fault]: form.whole('share', 'The share', 1, 100) / 100 }
  return fault === 'delay' ? { ...share, delayMs: form.whole('seconds', 'The seconds', 1, 600) * 1_000 } : share
}

function stateOf(fault: Fault, source: ReconciliationSource): string {
  const share = Math.round((source[fault] ?? 0) * 100)
  if (share === 0) return 'off'
  const whose = share === 100 ? 'every event' : `${share} % of events`
  return fault === 'delay' ? `on, ${whose}, ${secondsOf(source)} s` : `on, ${whose}`
}

function secondsOf({ delayMs = 1_000 }: ReconciliationSource): number {
  return Math.round(delayMs / 1_000)
}

function faultsPage({ source, next }: ReturnType<Sender['state']>, store: Store): Markup {
  return html`<p>What happens to webhooks on their way to who subscribed. The platform itself sends nothing again.</p>
<h2>Switches</h2>
<div class="cards">${faults().map((fault) => switchOf(fault, source, store))}</div>
<h2>Only the next event</h2>
<p>${
    next.length === 0
      ? 'Nothing is planned for the next event.'
      : `Next: ${next.map((one) => FAULTS[one as Fault].next).join(', then ')}.`
  }</p>
<div class="actions">${faults().map(
    (fault) =>
      html`<form method="post" action="${to(`/faults/next/${fault}`, store)}"><button>${FAULTS[fault].once}</button></form>`,
  )}</div>
<h2>A burst</h2>
<form method="post" action="${to('/faults/burst', store)}" class="line">
${textField('Sales at once', 'count', { type: 'number', min: 1, max: 5_000, value: 100, required: 'required' })}
<button>Sell them</button>
</form>`
}

/** A switch: pressed, it does the other thing. */
function switchOf(fault: Fault, source: ReconciliationSource, store: Store): Markup {
  const { name, what } = FAULTS[fault]
  const isOn = (source[fault] ?? 0) > 0
  const share = isOn ? Math.round((source[fault] ?? 0) * 100) : 100
  return html`<form method="post" action="${to(`/faults/${fault}`, store)}" class="card">
<h3 id="${fault}">${name}</h3>
<p>${badge(isOn ? 'bad' : 'plain', stateOf(fault, source))}</p>
<p class="quiet">${what}</p>
${
  isOn
    ? html`<input type="hidden" name="off" value="yes">`
    : html`<div class="line">${textField('Share of events, in %', 'share', { type: 'number', min: 1, max: 100, value: share, required: 'required' })}
${fault === 'delay' ? textField('By seconds', 'seconds', { type: 'number', min: 1, max: 600, value: secondsOf(source), required: 'required' }) : ''}</div>`
}
<button role="switch" aria-checked="${String(isOn)}" aria-labelledby="${fault}" class="switch"><span aria-hidden="true">${isOn ? 'Switch off' : 'Switch on'}</span></button>
</form>`
}
