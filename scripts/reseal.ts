import { parseArgs } from 'node:util'
import { resealSecrets } from '#schema/contract/secret-rotation.ts'
import { attempt, findInstallation, installationHelp } from './operator/installation.ts'

const help = `Run this while AUTH_SECRET is replaced: seals what is stored in the database under the new value.

  node scripts/reseal.ts

  --help  this text

${installationHelp}

How to replace AUTH_SECRET:
  1. Set AUTH_SECRET to a new value (openssl rand -base64 48) and AUTH_SECRET_PREVIOUS to the old one, and restart or deploy.
     With npm start, both go into DATA_DIR/secrets.json. Tokens, links, codes and signed addresses of both values work.
  2. Run this. Stop it and run it again as often as you like: what is done is passed over.
  3. Remove AUTH_SECRET_PREVIOUS (on Cloudflare: npx wrangler secret delete AUTH_SECRET_PREVIOUS).
     After 30 days nobody notices. If the old value leaked, remove it at once: everybody signs in again, machines
     register again by themselves, and playback tokens have to be made anew. Mailed links still work.
`

const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
const installation = values.help ? null : findInstallation(process.env)
if (values.help) console.log(help)
if (installation)
	await attempt(async () => {
		let resealed = 0
		let lost = 0
		for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
			const { data }: { data: { resealed: number; lost: number; cursor: string | null } } =
				await installation.call(resealSecrets, { body: { cursor } })
			resealed += data.resealed
			lost += data.lost
			cursor = data.cursor
			if (data.resealed > 0 && cursor !== null) console.log(`${resealed} sealed anew so far`)
		}
		console.log(
			`Done: ${resealed} sealed under the new value, ${lost} opened by neither value (links that can't be mailed again).`,
		)
	})
