import { open, rename } from 'node:fs/promises'

/** Writes a file that is either complete or absent under its name, even after a power failure. */
export async function writeFileAtomic(path: string, text: string): Promise<void> {
	const file = await open(`${path}.new`, 'w', 0o600)
	try {
		await file.chmod(0o600)
		await file.writeFile(text)
		await file.sync()
	} finally {
		await file.close()
	}
	await rename(`${path}.new`, path)
}
