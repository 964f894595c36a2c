import { resealSecrets } from '#schema/contract/operations/secret-rotation.ts'
import { parseOptions } from '../lib/command-options.ts'
import { exitOnError, findInstallation, installationHelp } from './lib/installation.ts'

const help = `Encrypts the secrets in the database, and the keys of backups, again under the current AUTH_SECRET. Run it while AUTH_SECRET is being replaced.

  npm run operate -- reseal

  --help  show this help

${installationHelp}

How to replace AUTH_SECRET:
  1. Set AUTH_SECRET to a new value (openssl rand -base64 48) and AUTH_SECRET_PREVIOUS to the old one. Restart or deploy.
     With npm start, both belong in DATA_DIR/secrets.json. Tokens, links, codes and signed URLs of both values work.
  2. Run this command. You can stop it and run it again at any time; finished rows are skipped.
  3. Remove AUTH_SECRET_PREVIOUS (on Cloudflare: npx wrangler secret delete AUTH_SECRET_PREVIOUS).
     From 30 days after step 1 on, nobody has to sign in again for it. If the old value leaked, remove it at once: everybody
     must sign in again, machines register again by themselves, and playback tokens must be created again. Mailed links
     still work.
  4. Keep the old value elsewhere as long as backups that were downloaded before, or that npm start made before migrations.
`

const { values } = parseOptions({ options: { help: { type: 'boolean', short: 'h' } } })
const installation = values.help ? null : findInstallation(process.env)
if (values.help) console.log(help)
if (installation)
	await exitOnError(async () => {
		let resealed = 0
		let lost = 0
		for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
			const { data }: { data: { resealed: number; lost: number; cursor: string | null } } =
				await installation.call(resealSecrets, { body: { cursor } })
			resealed += data.resealed
			lost += data.lost
			cursor = data.cursor
			if (data.resealed > 0 && cursor !== null) console.log(`${resealed} resealed so far`)
		}
		console.log(
			`Done: ${resealed} resealed; ${lost} could not be decrypted with either value (such links can't be mailed again, and such backups need an older value).`,
		)
	})
