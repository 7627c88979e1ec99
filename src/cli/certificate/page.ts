import { html, raw } from 'hono/html'
import type { Certificate } from '../../domain/ledger/certificate/certificate.ts'
import { DAY_WORDS, OWED_TITLE, owedRows, sumText, titleOf } from './text.ts'

const STYLE = `
@page { margin: 18mm }
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 46rem; padding: 0 1rem; color: #111; background: #fff }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1rem; margin: 1.5rem 0 .3rem }
p.verdict { font-weight: 600 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
code { font-size: .8em; overflow-wrap: anywhere }
tr { break-inside: avoid }`

/** A certificate as a page to print. It needs nothing from elsewhere; the rows stay in the file that it names the hash of. */
export function certificatePage(certificate: Certificate): string {
  const { store, day, from, to, madeAt, madeBy, verdict, sets, settlements, watermarks, gaps, key, signature } =
    certificate
  const title = titleOf(certificate)
  const owed = owedRows(certificate)
  return String(html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${raw(STYLE)}</style></head>
<body>
<h1>${title}</h1>
<p>The business day ${day} of the store with the id ${store.id}, from ${from} to ${to} (${store.zone}). Made ${madeAt} by ${madeBy}.</p>
<p class="verdict">${DAY_WORDS[verdict]}</p>
<h2>What there is</h2>
<table><thead><tr><th scope="col">Set</th><th scope="col" class="number">Count</th><th scope="col" class="number">Sum</th><th scope="col">SHA-256 of the sorted identities</th></tr></thead>
<tbody>${sets.map((one) => html`<tr><td>${one.set}</td><td class="number">${one.count}</td><td class="number">${sumText(one)}</td><td><code>${one.hash}</code></td></tr>`)}</tbody></table>
<h2>Z reports</h2>
<table><thead><tr><th scope="col">Till</th><th scope="col">Number</th><th scope="col" class="number">Total</th><th scope="col" class="number">All that it ever sold</th></tr></thead>
<tbody>${settlements.map((one) => html`<tr><td>${one.till}</td><td>${one.number}</td><td class="number">${one.grandTotal} ${one.currency}</td><td class="number">${one.counter}</td></tr>`)}</tbody></table>
<h2>From when to when nothing is missing</h2>
<table><thead><tr><th scope="col">By</th><th scope="col">Kind</th><th scope="col">Store</th><th scope="col">From</th><th scope="col">Until</th><th scope="col">Verdict</th></tr></thead>
<tbody>${watermarks.map((one) => html`<tr><td>${one.level}</td><td>${one.kind}</td><td>${one.store ?? 'every'}</td><td>${one.from}</td><td>${one.until}</td><td>${one.verdict}</td></tr>`)}</tbody></table>
<h2>Gaps of that day</h2>
<table><thead><tr><th scope="col">Kind</th><th scope="col">Cause</th><th scope="col">State</th><th scope="col">Reason</th></tr></thead>
<tbody>${gaps.map((one) => html`<tr><td>${one.kind}</td><td>${one.cause}</td><td>${one.state}</td><td>${one.reason}</td></tr>`)}</tbody></table>
${owed.length === 0 ? '' : html`<p>${OWED_TITLE}</p><table><thead><tr><th scope="col">Kind</th><th scope="col">It is</th><th scope="col" class="number">Count</th><th scope="col">Events</th></tr></thead><tbody>${owed.map(([kind, state, count, events]) => html`<tr><td>${kind}</td><td>${state}</td><td class="number">${count}</td><td>${events}</td></tr>`)}</tbody></table>`}
<h2>Signature</h2>
<p>Ed25519, key <code>${key.id}</code>, over the whole certificate in canonical JSON (RFC 8785):<br><code>${signature}</code></p>
</body>
</html>
`)
}
