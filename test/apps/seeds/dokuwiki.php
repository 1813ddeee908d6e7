<?php
// Writes users, pages, versions, a draft and a picture into the DokuWiki in the folder that is named: run by ../dokuwiki.ts.
$site = $argv[1];
$hash = password_hash('only-for-tests', PASSWORD_BCRYPT);
file_put_contents("$site/conf/users.auth.php", "# <?php exit()?>\nadmin:$hash:An admin:admin@example.org:admin,user\nreader:$hash:A reader:reader@example.org:user\n");
file_put_contents("$site/conf/acl.auth.php", "# <?php exit()?>\n*\t@ALL\t1\n*\t@admin\t16\n");
$_SERVER['REMOTE_USER'] = 'admin';
$_SERVER['REMOTE_ADDR'] = '127.0.0.1';
$_SERVER['HTTP_HOST'] = '127.0.0.1';
$_SERVER['REQUEST_URI'] = '/doku.php';
define('NOSESSION', 1);
define('DOKU_INC', "$site/");
require "$site/inc/init.php";

$pages = ['start', 'bread', 'delete', 'how_to_update', 'install', 'rivers:elbe', 'rivers:rhine', 'rivers:revert', 'travel:by_bicycle', 'travel:winter', 'recipes:cake', 'recipes:trash'];
$links = implode("\n", array_map(fn ($page) => "  * [[:$page]]", $pages));
foreach ($pages as $page) {
    $title = ucfirst(str_replace(['_', ':'], ' ', $page));
    saveWikiText($page, "====== $title ======\n\nFirst version of $title.\n", 'created');
    // A second version needs a later second.
    @touch(wikiFN($page), time() - 120);
    saveWikiText($page, "====== $title ======\n\nSecond version of $title. {{:blue.png?200}}\n\n===== Pages =====\n\n$links\n\n===== Code =====\n\n<code php>\necho 1;\n</code>\n", 'more');
}
$picture = imagecreatetruecolor(600, 400);
imagefill($picture, 0, 0, imagecolorallocate($picture, 40, 90, 140));
imagepng($picture, mediaFN('blue.png'));
addMediaLogEntry(time(), 'blue.png', DOKU_CHANGE_TYPE_CREATE);
foreach (['bread', 'rivers:elbe'] as $page) {
    $draft = getCacheName("admin\n$page", '.draft');
    io_saveFile($draft, serialize(['id' => $page, 'prefix' => '', 'text' => 'An unsaved thought.', 'suffix' => '', 'date' => time(), 'client' => 'admin']));
    touch($draft, time() + 60);
}
