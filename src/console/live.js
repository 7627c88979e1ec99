/* Keeps a page as it is at the hub: the server sends its content when that has changed. Without this script it is read again by hand. */

const region = document.querySelector('[data-live]')
const stale = document.querySelector('[data-stale]')

/** The server says something every few seconds (ms). */
const STALE_AFTER = 20_000

/** After a refusal, which a browser does not ask again by itself (ms). */
const AGAIN_AFTER = 30_000

let source = null
let heardAt = Date.now()

function listen() {
  if (source !== null || document.hidden) return
  source = new EventSource(region.dataset.live)
  source.addEventListener('same', heard)
  source.addEventListener('page', ({ data }) => {
    heard()
    // Somebody is about to act: what they look at stays.
    if (region.contains(document.activeElement)) return
    region.innerHTML = JSON.parse(data)
  })
  source.addEventListener('error', () => {
    if (source?.readyState !== EventSource.CLOSED) return
    source = null
    setTimeout(listen, AGAIN_AFTER)
  })
}

function heard() {
  heardAt = Date.now()
  stale.hidden = true
}

/** A hidden tab asks for nothing. */
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) return listen()
  source?.close()
  source = null
})

setInterval(() => {
  if (document.hidden || Date.now() - heardAt < STALE_AFTER) return
  const at = new Date(heardAt).toLocaleTimeString(document.documentElement.lang)
  stale.querySelector('span').textContent = at
  stale.hidden = false
}, 1_000)

listen()
