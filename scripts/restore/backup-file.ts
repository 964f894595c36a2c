import { type BackupKeys, openChunk } from '../../edge/backups/format/chunk.ts'
import { type Entry, entriesOf } from '../../edge/backups/format/lines.ts'
import { type Manifest, openManifest } from '../../edge/backups/format/manifest.ts'
import type { Secrets } from '../../edge/platform/tokens/secrets.ts'
import { Archive } from './archive.ts'

/** A downloaded backup. Everything that it returns is authentic and in the right order. */
export class BackupFile {
	readonly manifest: Manifest
	readonly #archive: Archive
	readonly #keys: BackupKeys

	private constructor(archive: Archive, manifest: Manifest, keys: BackupKeys) {
		this.#archive = archive
		this.manifest = manifest
		this.#keys = keys
	}

	static async open(path: string, secrets: Secrets): Promise<BackupFile> {
		const archive = await Archive.open(path)
		try {
			const text = new TextDecoder().decode(await archive.read('manifest.json'))
			const { manifest, keys } = await openManifest(secrets, text)
			return new BackupFile(archive, manifest, keys)
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
		return [...entriesOf(await openChunk(this.#keys, place, chunk, bytes))]
	}

	close(): Promise<void> {
		return this.#archive.close()
	}
}
