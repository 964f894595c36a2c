import { open, rename } from 'node:fs/promises'

/** Under its name the file is whole or not there, also when the power fails in between. */
export async function writeWhole(path: string, text: string): Promise<void> {
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
