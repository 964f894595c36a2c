CREATE TABLE `asset_subtitles` (
	`asset_id` text NOT NULL,
	`language` text NOT NULL,
	`key` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`asset_id`, `language`)
);
