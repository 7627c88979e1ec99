import { createLocalFolder } from './local-folder.ts'
import { createSftpFolder, type SftpLimits } from './sftp/folder.ts'
import type { SftpOptions } from './sftp/options.ts'
import type { Transport } from './transport.ts'

/** A folder as config names it: one of this machine, with the rights of files in it (`0600`), or one of an SFTP server. */
export interface FolderOptions {
  folder?: string | undefined
  mode?: string | undefined
  sftp?: SftpOptions | undefined
}

/** The way to a folder. Nothing is opened before it is used; `limits` are of SFTP. */
export function openFolder({ folder, mode, sftp }: FolderOptions, limits: SftpLimits): Transport {
  return sftp ? createSftpFolder(sftp, limits) : createLocalFolder(folder ?? '', Number.parseInt(mode ?? '0600', 8))
}
