import { request } from 'undici'

interface Shown {
  url: string
  status: number
  text: string
  /** Each address that was asked for on the way, the last one first. */
  way: string[]
}

export type WebBrowser = ReturnType<typeof createWebBrowser>

/**
 * Follows links, redirects and refreshes, and sends cookies as browsers do: a strict one is held back from an address that another
 * site led to. Each port is a site of its own.
 */
export function createWebBrowser() {
  const cookies = new Map<string, { value: string; isStrict: boolean }>()

  /** `from`: the page that has the link; none is an address that was typed. `stopAt`: a redirect to it is not followed. */
  async function open(url: string, { from = url, stopAt = '' } = {}): Promise<Shown> {
    const way: string[] = []
    let [here, isForeign] = [url, new URL(from).origin !== new URL(url).origin]
    for (;;) {
      const { origin } = new URL(here)
      way.unshift(here)
      const sent = [...cookies].filter(
        ([key, { isStrict }]) => key.startsWith(`${origin} `) && !(isStrict && isForeign),
      )
      const cookie = sent.map(([key, { value }]) => `${key.slice(origin.length + 1)}=${value}`).join('; ')
      const answer = await request(here, { headers: cookie === '' ? {} : { cookie }, reset: true })
      for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(`${origin} ${name}`)
        else cookies.set(`${origin} ${name}`, { value, isStrict: /samesite=strict/i.test(line) })
      }
      const text = await answer.body.text()
      const refreshed = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(text)?.[1]
      const to =
        refreshed ?? (answer.statusCode >= 300 && answer.statusCode < 400 ? answer.headers.location : undefined)
      if (to === undefined) return { url: here, status: answer.statusCode, text, way }
      const next = new URL(String(to), here).href
      // A refresh is a navigation of this page; a redirect stays one of whoever began.
      isForeign = (isForeign && refreshed === undefined) || new URL(next).origin !== origin
      if (stopAt !== '' && next.startsWith(stopAt)) return { url: next, status: answer.statusCode, text, way }
      here = next
    }
  }

  return {
    open,
    /** Names, values and whether they are strict, of a site. */
    cookiesOf: (origin: string) =>
      [...cookies].flatMap(([key, one]) =>
        key.startsWith(`${origin} `) ? [{ name: key.slice(origin.length + 1), ...one }] : [],
      ),
    setCookie: (origin: string, name: string, value: string) =>
      cookies.set(`${origin} ${name}`, { value, isStrict: false }),
  }
}
