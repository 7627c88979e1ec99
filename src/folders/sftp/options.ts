import { z } from 'zod'
import { isLinkLocal } from '../../lib/http/http.ts'
import { checkedText, secret } from '../../lib/schema.ts'

const Fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'Must be SHA256: and the fingerprint, as ssh-keygen -l shows it, or any.')

const PlainText = z.string().regex(/^[^\p{Cc}]+$/u, 'Must not be empty or have control characters.')
export const SftpOptions = z
  .strictObject({
    host: checkedText(hostFault).describe('The name or address of the server.'),
    port: z.int().min(1).max(65_535).default(22).describe('Its port.'),
    user: PlainText.describe('The user.'),
    password: secret(PlainText).optional().describe('The password of the user, where there is no key.'),
    privateKey: secret(checkedText(keyFault))
      .optional()
      .describe('A private key in OpenSSH or PEM form, in place of a password. Its lines may be joined by \\n.'),
    passphrase: secret(PlainText).optional().describe('What the private key is encrypted with, if it is.'),
    hostKey: z
      .union([z.literal('any'), Fingerprint, z.array(Fingerprint).min(1)])
      .describe(
        'The fingerprint of the host key of the server (SHA256:…), or several of which one must be it; `any` asks for none.',
      ),
    folder: checkedText(folderFault).describe(
      'The folder, from the root of the server (/in) or from where the user begins (in).',
    ),
  })
  .superRefine(({ password, privateKey, passphrase }, context) => {
    if ((password === undefined) === (privateKey === undefined))
      context.addIssue({ code: 'custom', path: ['password'], message: 'Give either password or privateKey.' })
    if (passphrase !== undefined && privateKey === undefined)
      context.addIssue({ code: 'custom', path: ['passphrase'], message: 'Is of a privateKey, and there is none.' })
  })

export type SftpOptions = z.output<typeof SftpOptions>

function hostFault(text: string): string | null {
  if (!/^[\w.:-]+$/.test(text)) return 'Must be a name or an address, without a scheme, a user or a port.'
  return isLinkLocal(text) ? 'Must not be a link-local address.' : null
}

function keyFault(text: string): string | null {
  const [, type] = /^\s*-----BEGIN ([A-Z ]*)PRIVATE KEY-----/.exec(text) ?? []
  if (type === undefined) return 'Must be a private key: -----BEGIN …PRIVATE KEY-----.'
  const isPkcs8 = type === '' || type === 'ENCRYPTED '
  return isPkcs8 ? 'Must be in OpenSSH or PEM form, not PKCS #8: ssh-keygen -p -f <file> writes it anew.' : null
}

function folderFault(text: string): string | null {
  if (!/^[^\p{Cc}\\]+$/u.test(text)) return 'Must be a path with / between its parts.'
  return text.startsWith('~') ? 'Must not begin with ~: leave it out, paths begin where the user does.' : null
}
