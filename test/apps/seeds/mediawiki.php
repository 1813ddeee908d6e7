<?php
// Writes users, pages, versions, categories, a picture, protection, a deleted page and watchlists: run by ../mediawiki.ts.
$root = $argv[1];
unset($argv[1]);
require_once "$root/maintenance/Maintenance.php";

use MediaWiki\MediaWikiServices;
use MediaWiki\Revision\SlotRecord;

class Seed extends Maintenance {
    public function execute() {
        $services = MediaWikiServices::getInstance();
        $admin = User::newFromName('Admin');
        $reader = User::newFromName('Reader');
        $reader->addToDatabase();
        $reader->changeAuthenticationData(['username' => 'Reader', 'password' => 'only-for-tests-1', 'retype' => 'only-for-tests-1']);
        $titles = ['Main Page', 'Bread', 'Delete', 'How to update', 'Install', 'Elbe', 'Rhine', 'Revert', 'Winter', 'Talk:Bread', 'Category:Rivers', 'Category:Recipes', 'User:Reader', 'Thrown away'];
        $links = implode("\n", array_map(fn ($title) => "* [[:$title]]", $titles));
        foreach ($titles as $number => $title)
            foreach (['First', 'Second', 'Third'] as $version => $word)
                $this->edit($title, "$word text of $title.\n\n== Pages ==\n$links\n\n== More ==\n{{#if:x|A note|}}<ref>A book</ref>\n[[Category:" . ['Rivers', 'Recipes'][$number % 2] . ']]', $version === 1 ? $reader : $admin);
        foreach (['Bread', 'Elbe', 'Main Page'] as $title)
            foreach ([$admin, $reader] as $user) $services->getWatchlistManager()->addWatch($user, Title::newFromText($title));
        $services->getWikiPageFactory()->newFromTitle(Title::newFromText('Install'))
            ->doUpdateRestrictions(['edit' => 'sysop'], ['edit' => 'infinity'], $cascade, 'Test', $admin);
        $services->getDeletePageFactory()->newDeletePage($services->getWikiPageFactory()->newFromTitle(Title::newFromText('Thrown away')), $admin)->forceImmediate(true)->deleteUnsafe('Test');
        $picture = imagecreatetruecolor(300, 200);
        $file = tempnam(wfTempDir(), 'blue') . '.png';
        imagepng($picture, $file);
        $local = $services->getRepoGroup()->getLocalRepo()->newFile('Blue.png');
        $local->upload($file, 'A picture', 'A blue picture', 0, false, false, $admin);
        unlink($file);
    }

    private function edit($title, $text, $user) {
        $page = MediaWikiServices::getInstance()->getWikiPageFactory()->newFromTitle(Title::newFromText($title));
        $updater = $page->newPageUpdater($user);
        $updater->setContent(SlotRecord::MAIN, ContentHandler::makeContent($text, $page->getTitle()));
        $updater->saveRevision(CommentStoreComment::newUnsavedComment('Test'));
    }
}

$maintClass = Seed::class;
require_once RUN_MAINTENANCE_IF_MAIN;
