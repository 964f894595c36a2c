import { parseArgs } from 'node:util'
import { ApiError } from '#schema/contract/kit/client.ts'
import { findDataDirectory } from '../lib/installation/settings.ts'
import { signInPerson } from './accounts.ts'
import { seedContent } from './content.ts'
import { members as demoMembers, owner as demoOwner } from './demo.ts'
import { openSeededInstallation } from './installation.ts'
import { seedCommunity, seedMembers } from './members.ts'
import { openReport } from './report.ts'
import { SeedError } from './session.ts'
import { awaitVideos, seedVideos } from './videos.ts'

const DEFAULT_PASSWORD = 'curtain-lantern-stage-42'

const help = `npm run seed [-- options]

Adds demo content to a running Playhouse through its API: an organization with three videos, which ffmpeg makes and the
transcoder processes, and a community with members, spaces, posts, comments, reactions and events. A second run adds
only what is missing.

  --url URL        URL of the installation (default http://127.0.0.1:8787)
  --password TEXT  password of the demo accounts; required if other machines can reach the installation
  --no-wait        do not wait until the videos are processed
  --force          allow an installation in production
  --help           show this help

DATA_DIR is the data directory of the installation (default .playhouse), where the address of its mailbox is found. Members
join by mailed links, so none are added without it.
`

const options = {
	url: { type: 'string', default: 'http://127.0.0.1:8787' },
	password: { type: 'string' },
	wait: { type: 'boolean', default: true },
	force: { type: 'boolean', default: false },
	help: { type: 'boolean', short: 'h' },
} as const

try {
	const { values } = readOptions()
	if (values.help) console.log(help)
	else if (!(await seed(values))) process.exitCode = 1
} catch (error) {
	console.error(error instanceof SeedError || error instanceof ApiError ? error.message : error)
	process.exitCode = 1
}

function readOptions() {
	try {
		return parseArgs({ options, allowNegative: true })
	} catch (error) {
		throw new SeedError(`${(error as Error).message.split('.')[0]}; see npm run seed -- --help`)
	}
}

type Values = ReturnType<typeof readOptions>['values']

async function seed({ url: urlOption, password: ownPassword, wait, force }: Values): Promise<boolean> {
	if (!URL.canParse(urlOption))
		throw new SeedError(`--url: ${urlOption} is not a URL; use the form http://127.0.0.1:8787`)
	const url = new URL(urlOption).origin
	const password = ownPassword ?? DEFAULT_PASSWORD
	const installation = await openSeededInstallation(url, {
		dataDir: await findDataDirectory(process.env),
		isForced: force,
		hasOwnPassword: ownPassword !== undefined,
	})
	const report = openReport((line) => console.log(line))
	console.log(`Seeding ${url}`)
	const owner = await signInPerson(installation, demoOwner, password, report)
	const videos = await seedVideos(url, owner, report)
	const communityId = await seedCommunity(owner, report)
	const members = await seedMembers(installation, owner, communityId, password, report)
	await seedContent({ communityId, members, report, now: new Date() })
	const isReady = !wait || (await awaitVideos(owner, videos, (line) => console.log(line)))

	const { created, found } = report.counts()
	console.log(`\n${created} created, ${found} found. Sign in with the password ${password}:`)
	const accounts = [demoOwner, ...demoMembers].slice(0, members.size)
	for (const { email, name } of accounts) console.log(`  ${email.padEnd(26)} ${name}`)
	if (owner.user.isSuperadmin) console.log(`  ${demoOwner.email} owns the installation (superadmin).`)
	if (!installation.mail)
		console.log(
			'The other members were not added: they join by a link in a mail, and the mails of this installation are not readable here. If npm start uses another data directory, set DATA_DIR to it.',
		)
	console.log('\nVideos:')
	for (const { title, playbackId } of videos) console.log(`  ${url}/watch/${playbackId}  ${title}`)
	return isReady
}
