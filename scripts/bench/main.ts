import { listCommands } from '../lib/command-list.ts'

listCommands('bench', {
	analytics: 'Measures reports a second, memory and writes of analytics.',
	api: 'Compares the API with a bare Worker that sends the same responses.',
	backups: 'Measures backups of a large database, and what requests wait meanwhile.',
	chapters: 'Compares chapters made without a model with three baselines.',
	cli: 'Measures how long the command line takes to start, beside Node without a program.',
	community: 'Measures community endpoints on a full and on a small database.',
	player: 'Measures how long a viewer waits for the first frame, beside other players.',
	transcode: 'Measures how long a video takes until it is ready, beside bare ffmpeg.',
	upload: 'Measures uploads by TUS and by PUT, beside a bare Worker.',
})
