import { type BackupKeys, openChunk } from '../../../edge/operations/backups/format/chunk.ts'
import { type Entry, parseEntries } from '../../../edge/operations/backups/format/lines.ts'
import type { Manifest } from '../../../edge/operations/backups/format/manifest.ts'
import { openManifest } from '../../../edge/operations/backups/format/signed-manifest.ts'
import type { Secrets } from '../../../edge/platform/tokens/secrets.ts'
import { Archive } from './archive.ts'

type OpenManifest = Awaited<ReturnType<typeof openManifest>>

/** Keys that open backups: the secrets of the installation, and identities of age. */
export type Openers = { secrets: Secrets | null; identities?: readonly string[] }

/** A downloaded backup. Returns only verified data, in order. */
export class BackupFile {
	readonly manifest: Manifest
	/** False if the missing AUTH_SECRET is needed to prove that the backup is of this installation. */
	readonly isOriginChecked: boolean
	readonly #archive: Archive
	readonly #keys: BackupKeys

	private constructor(archive: Archive, { manifest, keys, isOriginChecked }: OpenManifest) {
		this.#archive = archive
		this.manifest = manifest
		this.isOriginChecked = isOriginChecked
		this.#keys = keys
	}

	static async open(path: string, { secrets, identities }: Openers): Promise<BackupFile> {
		const archive = await Archive.open(path)
		try {
			const text = new TextDecoder().decode(await archive.read('manifest.json'))
			return new BackupFile(archive, await openManifest(secrets, text, identities))
		} catch (error) {
			await archive.close()
			throw error
		}
	}

	/** Returns the entries of a chunk, in their order. */
	async readChunk(position: number): Promise<Entry[]> {
		const chunk = this.manifest.chunks[position]
		if (!chunk) throw new RangeError(`there is no chunk ${position}`)
		const bytes = await this.#archive.read(chunk.key)
		const place = { backupId: this.manifest.id, position }
		return [...parseEntries(await openChunk(this.#keys, place, chunk, bytes))]
	}

	close(): Promise<void> {
		return this.#archive.close()
	}
}
