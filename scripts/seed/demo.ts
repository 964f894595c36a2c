/** Content of `npm run seed`. A second run finds existing rows by their titles, slugs and texts. */

export const owner = { email: 'demo-ada@example.com', name: 'Ada Demo' }
export const members = [
	{ email: 'demo-bruno@example.com', name: 'Bruno Demo', role: 'moderator' },
	{ email: 'demo-chiyo@example.com', name: 'Chiyo Demo', role: 'member' },
	{ email: 'demo-dalia@example.com', name: 'داليا Demo', role: 'member' },
] as const
export type DemoMember = 'ada' | 'bruno' | 'chiyo' | 'dalia'

/** Made from ffmpeg's test sources, so that nothing has to be downloaded. */
export const videos = [
	{ title: 'Demo: test card', picture: 'testsrc2=size=1280x720:rate=25', sound: 'sine=frequency=440' },
	{
		title: 'Demo: game of life',
		picture:
			'life=size=320x180:mold=10:rate=25:ratio=0.1:death_color=#c2371f:life_color=#ffdccf,scale=1280:720:flags=neighbor',
		sound: 'anoisesrc=color=brown:amplitude=0.1',
	},
	{
		title: 'Demo: upright gradient',
		picture: 'gradients=size=720x1280:rate=25:speed=0.05',
		sound: 'sine=frequency=220:beep_factor=4',
	},
]
export const VIDEO_SECONDS = 8

export const community = { name: 'Playhouse demo', slug: 'playhouse-demo' }
export const spaces = [
	{ slug: 'start-here', name: 'Start here', spaceType: 'basic' },
	{ slug: 'show-and-tell', name: 'Show and tell', spaceType: 'basic' },
	{ slug: 'meetups', name: 'Meetups', spaceType: 'event' },
] as const

type Comment = { by: DemoMember; body: string }
type Post = {
	space: (typeof spaces)[number]['slug']
	by: DemoMember
	name: string
	body: string
	comments: Comment[]
	reactions: { by: DemoMember; reaction: string }[]
}

export const posts: Post[] = [
	{
		space: 'start-here',
		by: 'ada',
		name: 'Welcome to the demo',
		body: 'npm run seed created this community. Post, comment and react as you like: running it again only adds what is missing.',
		comments: [
			{ by: 'bruno', body: 'Good to be here!' },
			{ by: 'dalia', body: 'مرحبا بالجميع' },
		],
		reactions: [
			{ by: 'bruno', reaction: '❤️' },
			{ by: 'chiyo', reaction: '👍' },
		],
	},
	{
		space: 'show-and-tell',
		by: 'chiyo',
		name: 'Three videos made of nothing',
		body: 'A test card, a game of life and a gradient. Each went through the transcoder of this machine.',
		comments: [
			{ by: 'ada', body: 'Which one has the most renditions?' },
			{ by: 'chiyo', body: 'All have a ladder that ends at their own height.' },
		],
		reactions: [{ by: 'dalia', reaction: '🎉' }],
	},
	{
		space: 'show-and-tell',
		by: 'bruno',
		name: 'What are you building?',
		body: 'Say hello, and describe what you would like to build with Playhouse.',
		comments: [],
		reactions: [{ by: 'ada', reaction: '👍' }],
	},
]

export const events = [
	{
		space: 'meetups',
		title: 'Demo premiere',
		description: 'We watch the three videos together.',
		inDays: 7,
		hours: 2,
		virtual_location_url: 'https://example.com/premiere',
		guests: ['bruno', 'chiyo'] as DemoMember[],
	},
	{
		space: 'meetups',
		title: 'Community breakfast',
		description: 'Coffee, and questions about communities.',
		inDays: 21,
		hours: 1,
		virtual_location_url: null,
		guests: ['dalia'] as DemoMember[],
	},
]
