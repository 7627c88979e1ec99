import { html, NOTHING } from '../html.ts'
import type { TextKey } from '../texts/en.ts'
import type { Translate } from '../texts/texts.ts'

interface SignIn {
  t: Translate
  wrong: TextKey | null
  hasUsers: boolean
  /** Where to go on, below /console. */
  to: string
}

export function signInPage({ t, wrong, hasUsers, to }: SignIn) {
  const body = html`${wrong === null ? NOTHING : html`<div class="said bad" role="alert"><p>${t(wrong)}</p></div>`}
${hasUsers ? NOTHING : html`<div class="said wait"><p>${t('sign-in.no-user')}</p><pre>npx tillbridge users add kari --role operator</pre></div>`}
<form class="sign-in" method="post" action="/console/sign-in">
<input type="hidden" name="to" value="${to}">
<label class="field"><span>${t('sign-in.name')}</span><input name="name" autocomplete="username" required maxlength="40"></label>
<label class="field"><span>${t('sign-in.password')}</span><input type="password" name="password" autocomplete="current-password" required maxlength="200"></label>
<button class="strong">${t('sign-in.button')}</button>
</form>`
  return { title: t('sign-in.title'), body }
}
