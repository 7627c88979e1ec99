import type {
  NamedCustomer,
  SubmittedConsent,
  SubmittedCustomer,
  SubmittedPoints,
} from '../domain/catalogue/submitted.ts'
import { type Event, payloadOf } from '../domain/queue/event.ts'
import { saveCustomer } from './customers.ts'
import type { Flow } from './flow.ts'

/* What becomes of customers besides what they buy (public facts): to be forgotten or written to, and their points. */

/** To delete one twice does nothing twice. Who is submitted again after it is a customer. */
const deleteCustomer: Flow = {
  name: 'delete-customer',
  kinds: ['CustomerDeletionSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  undoneBy: { flows: [saveCustomer.name], leaves: () => null },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'deleteCustomer', argument: payloadOf(event) as NamedCustomer }),
}

/** The newest word counts: who agreed and withdrew is not written to. */
const noteConsent: Flow = {
  name: 'note-consent',
  kinds: ['ConsentSubmitted'],
  port: 'platform',
  urgency: 'bulk',
  latestWins: true,
  undoneBy: {
    flows: [saveCustomer.name, deleteCustomer.name],
    leaves: (event, later) => (isRevoked(event, later) ? null : event),
  },
  agreed: {
    by: (event) => (agreedIn(event) ? (payloadOf(event) as NamedCustomer) : null),
    without: (event, { agreedSendEmail, agreedSendSms }) =>
      agreedSendEmail === false || agreedSendSms === false ? null : event,
  },
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'noteConsent', argument: payloadOf(event) as SubmittedConsent }),
}

/** Points count again each time that they are sent: an uncertain booking waits for a person. */
const bookBonus: Flow = {
  name: 'book-bonus',
  kinds: ['PointsSubmitted'],
  port: 'platform',
  once: true,
  noFind: true,
  onUnknown: 'hold',
  urgency: 'bulk',
  plan: ({ entity }) => [{ part: '', entity }],
  call: (event) => ({ port: 'platform', method: 'bookBonus', argument: payloadOf(event) as SubmittedPoints }),
}

function agreedIn(event: Event): boolean {
  return (payloadOf(event) as SubmittedConsent).agreed
}

/** Who is deleted is asked nothing more. Of two who say otherwise, one that withdraws holds for what the later one leaves open. */
function isRevoked(event: Event, later: Pick<Event, 'kind' | 'body'>): boolean {
  if (later.kind === 'CustomerDeletionSubmitted') return true
  const agreed = agreedIn(event)
  const { agreedSendEmail, agreedSendSms } = payloadOf(later) as SubmittedCustomer
  const said = [agreedSendEmail, agreedSendSms]
  return agreed ? said.includes(false) : said.every((one) => one === true)
}

/** Choices of customers: every flow of this file. */
export const customerChoices: readonly Flow[] = [noteConsent, bookBonus, deleteCustomer]
