import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

/** An authority made for this run, and a certificate of it for each name. Needs the openssl program. */
export async function makeCertificates(names: string[]) {
	const folder = await mkdtemp(join(tmpdir(), 'playhouse-tls-'))
	const openssl = (...args: string[]) => execa('openssl', args, { cwd: folder })
	const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
	const authority = ['-x509', ...newKey, '-days', '2', '-subj', '/CN=test authority']
	await openssl('req', ...authority, '-keyout', 'ca.key', '-out', 'ca.pem')
	const pairs: Record<string, { key: string; cert: string }> = {}
	for (const name of names) {
		await writeFile(join(folder, 'extensions'), `subjectAltName=DNS:${name}\nbasicConstraints=CA:FALSE\n`)
		await openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`)
		const request = [
			'-req',
			'-in',
			`${name}.csr`,
			'-extfile',
			'extensions',
			'-days',
			'2',
			'-out',
			`${name}.pem`,
		]
		await openssl('x509', ...request, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial')
		pairs[name] = {
			key: await readFile(join(folder, `${name}.key`), 'utf8'),
			cert: await readFile(join(folder, `${name}.pem`), 'utf8'),
		}
	}
	return {
		authorityPath: join(folder, 'ca.pem'),
		pairs,
		remove: () => rm(folder, { recursive: true, force: true }),
	}
}
