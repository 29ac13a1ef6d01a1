"""The words that figmill itself writes into a page, in the page's language. Pure.

A book's setting `words` goes first. A language or a word that is not here stays English. The scripts of a page
(figmill-explore.js, figmill-zoom.js) have their own words; those of the gallery and of `serve` are in gallery_words.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

SUMMARY = "Description and data"
SUMMARY_OF = "Description and data: {}"
DATA = "Data:"
MARK = "Out of date: the last build of this figure failed."
PART = "{title}: {shown} of {total} rows"
COUNT = "{title}: {count}"
NODES, EDGES = "Nodes", "Edges"  # the titles of tables that figmill makes
BOTH, NO_ARROW = "both ways", "no arrow"
ONE_TO_MANY = "{} to {}"
_PAGE = (SUMMARY, SUMMARY_OF, DATA, MARK, PART, COUNT, NODES, EDGES, BOTH, NO_ARROW)
# The columns of descriptions whose cells are figmill's words.
OWN_CELLS = ("kind", "status", "how many from", "how many to", "place", "state")
SINGULARS = {"classes": "class", "entities": "entity"}


def _in(*words: str) -> dict[str, str]:
    return dict(zip(_PAGE, words, strict=True))


_WORDS: Mapping[str, dict[str, str]] = (
    {
        "ar": _in(
            "الوصف والبيانات", "الوصف والبيانات: {}", "البيانات:",
            "غير محدّث: فشل آخر إنشاء لهذا الشكل.", "{title}: {shown} من {total} صفًا", "{title}: {count}",
            "العقد", "الروابط", "في الاتجاهين", "بلا سهم",
        ),
        "de": _in(
            "Beschreibung und Daten", "Beschreibung und Daten: {}", "Daten:",
            "Veraltet: Der letzte Build dieser Abbildung ist fehlgeschlagen.",
            "{title}: {shown} von {total} Zeilen", "{title}: {count}",
            "Knoten", "Kanten", "in beide Richtungen", "ohne Pfeil",
        ),
        "es": _in(
            "Descripción y datos", "Descripción y datos: {}", "Datos:",
            "Desactualizada: la última generación de esta figura ha fallado.",
            "{title}: {shown} de {total} filas", "{title}: {count}",
            "Nodos", "Aristas", "en ambos sentidos", "sin flecha",
        ),
        "fr": _in(
            "Description et données", "Description et données : {}", "Données :",
            "Obsolète : la dernière génération de cette figure a échoué.",
            "{title} : {shown} lignes sur {total}", "{title} : {count}",
            "Nœuds", "Arêtes", "dans les deux sens", "sans flèche",
        ),
        "it": _in(
            "Descrizione e dati", "Descrizione e dati: {}", "Dati:",
            "Non aggiornata: l’ultima generazione di questa figura non è riuscita.",
            "{title}: {shown} righe su {total}", "{title}: {count}",
            "Nodi", "Archi", "in entrambe le direzioni", "senza freccia",
        ),
        "ja": _in(
            "説明とデータ", "説明とデータ：{}", "データ：",
            "最新ではありません：この図の直近のビルドは失敗しました。",
            "{title}：全{total}行中{shown}行", "{title}：{count}",
            "ノード", "エッジ", "双方向", "矢印なし",
        ),
        "pt": _in(
            "Descrição e dados", "Descrição e dados: {}", "Dados:",
            "Desatualizada: a última geração desta figura falhou.",
            "{title}: {shown} de {total} linhas", "{title}: {count}",
            "Nós", "Arestas", "nos dois sentidos", "sem seta",
        ),
        "zh": _in(
            "说明与数据", "说明与数据：{}", "数据：",
            "已过时：此图最近一次构建失败。", "{title}：共{total}行，显示{shown}行", "{title}：{count}",
            "节点", "边", "双向", "无箭头",
        ),
    }
)  # fmt: skip

# Words of descriptions: titles and columns of tables, what a line of a list is, and the cells of OWN_CELLS.
_LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "pt", "zh")
_DESCRIBED: Mapping[str, tuple[str, ...]] = {
    ONE_TO_MANY: ("{} إلى {}", "{} zu {}", "{} a {}", "{} à {}", "{} a {}", "{}対{}", "{} para {}", "{}对{}"),
    "Actors": (
        "المشاركون", "Beteiligte", "Participantes", "Participants",
        "Partecipanti", "参加者", "Participantes", "参与者",
    ),
    "Attributes": ("السمات", "Attribute", "Atributos", "Attributs", "Attributi", "属性", "Atributos", "属性"),
    "Cards": ("البطاقات", "Karten", "Tarjetas", "Cartes", "Schede", "カード", "Cartões", "卡片"),
    "Causes": ("الأسباب", "Ursachen", "Causas", "Causes", "Cause", "原因", "Causas", "原因"),
    "Classes": ("الأصناف", "Klassen", "Clases", "Classes", "Classi", "クラス", "Classes", "类"),
    "Commits": ("الإيداعات", "Commits", "Commits", "Commits", "Commit", "コミット", "Commits", "提交"),
    "Data": ("البيانات", "Daten", "Datos", "Données", "Dati", "データ", "Dados", "数据"),
    "Elements": ("العناصر", "Elemente", "Elementos", "Éléments", "Elementi", "要素", "Elementos", "元素"),
    "Entities": ("الكيانات", "Entitäten", "Entidades", "Entités", "Entità", "実体", "Entidades", "实体"),
    "Fields": ("الحقول", "Felder", "Campos", "Champs", "Campi", "フィールド", "Campos", "字段"),
    "Files": ("الملفات", "Dateien", "Archivos", "Fichiers", "File", "ファイル", "Arquivos", "文件"),
    "Flows": ("التدفقات", "Flüsse", "Flujos", "Flux", "Flussi", "フロー", "Fluxos", "流量"),
    "Items": ("البنود", "Einträge", "Elementos", "Éléments", "Voci", "項目", "Itens", "条目"),
    "Members": ("الأعضاء", "Mitglieder", "Miembros", "Membres", "Membri", "メンバー", "Membros", "成员"),
    "Messages": (
        "الرسائل", "Nachrichten", "Mensajes", "Messages",
        "Messaggi", "メッセージ", "Mensagens", "消息",
    ),
    "Notes": ("الملاحظات", "Notizen", "Notas", "Notes", "Note", "注記", "Notas", "注释"),
    "Parts": ("الأجزاء", "Teile", "Partes", "Parties", "Parti", "部分", "Partes", "部分"),
    "Periods": ("الفترات", "Zeiträume", "Periodos", "Périodes", "Periodi", "期間", "Períodos", "时期"),
    "Points": ("النقاط", "Punkte", "Puntos", "Points", "Punti", "点", "Pontos", "点"),
    "Quadrants": (
        "الأرباع", "Quadranten", "Cuadrantes", "Quadrants",
        "Quadranti", "象限", "Quadrantes", "象限",
    ),
    "Relations": (
        "العلاقات", "Beziehungen", "Relaciones", "Relations",
        "Relazioni", "関係", "Relações", "关系",
    ),
    "Requirements": (
        "المتطلبات", "Anforderungen", "Requisitos", "Exigences",
        "Requisiti", "要求", "Requisitos", "需求",
    ),
    "Rules": ("القواعد", "Regeln", "Reglas", "Règles", "Regole", "規則", "Regras", "规则"),
    "Sets": ("المجموعات", "Mengen", "Conjuntos", "Ensembles", "Insiemi", "集合", "Conjuntos", "集合"),
    "Signals": ("الإشارات", "Signale", "Señales", "Signaux", "Segnali", "信号", "Sinais", "信号"),
    "Slices": ("الشرائح", "Anteile", "Porciones", "Parts", "Fette", "区分", "Fatias", "扇区"),
    "Steps": ("الخطوات", "Schritte", "Pasos", "Étapes", "Passi", "手順", "Passos", "步骤"),
    "Tasks": ("المهام", "Aufgaben", "Tareas", "Tâches", "Attività", "タスク", "Tarefas", "任务"),
    "Texts": ("النصوص", "Texte", "Textos", "Textes", "Testi", "文字", "Textos", "文字"),
    "Topics": ("المواضيع", "Themen", "Temas", "Thèmes", "Argomenti", "トピック", "Tópicos", "主题"),
    "Transitions": (
        "الانتقالات", "Übergänge", "Transiciones", "Transitions",
        "Transizioni", "遷移", "Transições", "转换",
    ),
    "Words": ("الكلمات", "Wörter", "Palabras", "Mots", "Parole", "語句", "Palavras", "文字"),
    "active": ("جارٍ", "läuft", "en curso", "en cours", "in corso", "進行中", "em andamento", "进行中"),
    "actors": (
        "المشاركون", "Beteiligte", "participantes", "participants",
        "partecipanti", "参加者", "participantes", "参与者",
    ),
    "after": ("بعد", "folgt auf", "después de", "après", "dopo", "前のコミット", "depois de", "之后于"),
    "aggregation": (
        "تجميع", "Aggregation", "agregación", "agrégation",
        "aggregazione", "集約", "agregação", "聚合",
    ),
    "assigned to": (
        "مسند إلى", "zugewiesen an", "asignada a", "attribuée à",
        "assegnata a", "担当", "atribuída a", "负责人",
    ),
    "association": (
        "ارتباط", "Assoziation", "asociación", "association",
        "associazione", "関連", "associação", "关联",
    ),
    "attribute": ("السمة", "Attribut", "atributo", "attribut", "attributo", "属性", "atributo", "属性"),
    "axis": ("المحور", "Achse", "eje", "axe", "asse", "軸", "eixo", "轴"),
    "bottom left": (
        "أسفل اليسار", "unten links", "abajo a la izquierda", "en bas à gauche",
        "in basso a sinistra", "左下", "embaixo à esquerda", "左下",
    ),
    "bottom right": (
        "أسفل اليمين", "unten rechts", "abajo a la derecha", "en bas à droite",
        "in basso a destra", "右下", "embaixo à direita", "右下",
    ),
    "branch": ("الفرع", "Zweig", "rama", "branche", "ramo", "ブランチ", "ramo", "分支"),
    "break": ("خروج", "Abbruch", "interrupción", "interruption", "interruzione", "中断", "interrupção", "中断"),
    "card": ("البطاقة", "Karte", "tarjeta", "carte", "scheda", "カード", "cartão", "卡片"),
    "cherry-pick": (
        "انتقاء", "Cherry-Pick", "cherry-pick", "cherry-pick",
        "cherry-pick", "チェリーピック", "cherry-pick", "拣选",
    ),
    "class": ("الصنف", "Klasse", "clase", "classe", "classe", "クラス", "classe", "类"),
    "clock": ("ساعة", "Takt", "reloj", "horloge", "clock", "クロック", "relógio", "时钟"),
    "column": ("العمود", "Spalte", "columna", "colonne", "colonna", "列", "coluna", "列"),
    "comment": (
        "تعليق", "Kommentar", "comentario", "commentaire",
        "commento", "コメント", "comentário", "注释",
    ),
    "commit": ("الإيداع", "Commit", "commit", "commit", "commit", "コミット", "commit", "提交"),
    "composition": (
        "تركيب", "Komposition", "composición", "composition",
        "composizione", "コンポジション", "composição", "组合",
    ),
    "critical": ("حرج", "kritisch", "crítico", "critique", "critico", "クリティカル", "crítico", "关键"),
    "dependency": (
        "اعتماد", "Abhängigkeit", "dependencia", "dépendance",
        "dipendenza", "依存", "dependência", "依赖",
    ),
    "description": (
        "الوصف", "Beschreibung", "descripción", "description",
        "descrizione", "説明", "descrição", "说明",
    ),
    "document": ("المستند", "Dokument", "documento", "document", "documento", "文書", "documento", "文档"),
    "domain": ("المجال", "Bereich", "dominio", "domaine", "dominio", "領域", "domínio", "领域"),
    "done": ("منجز", "erledigt", "hecha", "terminée", "completata", "完了", "concluída", "已完成"),
    "element": ("العنصر", "Element", "elemento", "élément", "elemento", "要素", "elemento", "元素"),
    "else": ("وإلا", "sonst", "si no", "sinon", "altrimenti", "それ以外", "senão", "否则"),
    "else if": (
        "وإلا إذا", "sonst wenn", "si no, si", "sinon si",
        "altrimenti se", "またはもし", "senão se", "否则如果",
    ),
    "end": ("النهاية", "Ende", "fin", "fin", "fine", "終了", "fim", "结束"),
    "entity": ("الكيان", "Entität", "entidad", "entité", "entità", "実体", "entidade", "实体"),
    "events": ("الأحداث", "Ereignisse", "sucesos", "événements", "eventi", "出来事", "eventos", "事件"),
    "evolution": ("التطور", "Entwicklung", "evolución", "évolution", "evoluzione", "進化", "evolução", "演化"),
    "evolves to": (
        "يتطور إلى", "entwickelt sich zu", "evoluciona a", "évolue vers",
        "evolve a", "進化先", "evolui para", "演化至",
    ),
    "field": ("الحقل", "Feld", "campo", "champ", "campo", "フィールド", "campo", "字段"),
    "first bit": (
        "أول بت", "erstes Bit", "primer bit", "premier bit",
        "primo bit", "先頭ビット", "primeiro bit", "首位",
    ),
    "from": ("من", "von", "de", "de", "da", "元", "de", "从"),
    "high": ("مرتفع", "hoch", "alto", "haut", "alto", "ハイ", "alto", "高"),
    "high impedance": (
        "معاوقة عالية", "hochohmig", "alta impedancia", "haute impédance",
        "alta impedenza", "ハイインピーダンス", "alta impedância", "高阻",
    ),
    "highlight": (
        "مميز", "hervorgehoben", "destacado", "mis en avant",
        "evidenziato", "強調", "destacado", "突出",
    ),
    "id": (
        "المعرف", "Kennung", "identificador", "identifiant",
        "identificatore", "識別子", "identificador", "编号",
    ),
    "if": ("إذا", "wenn", "si", "si", "se", "もし", "se", "如果"),
    "in": ("في", "in", "en", "dans", "in", "所属", "em", "属于"),
    "in order": (
        "بالترتيب", "nacheinander", "en orden", "dans l’ordre",
        "in ordine", "順に", "em ordem", "依次",
    ),
    "in parallel": (
        "بالتوازي", "gleichzeitig", "en paralelo", "en parallèle",
        "in parallelo", "並行して", "em paralelo", "并行",
    ),
    "inheritance": ("وراثة", "Vererbung", "herencia", "héritage", "ereditarietà", "継承", "herança", "继承"),
    "interface": (
        "واجهة", "Schnittstelle", "interfaz", "interface",
        "interfaccia", "インターフェース", "interface", "接口",
    ),
    "item": ("البند", "Eintrag", "elemento", "élément", "voce", "項目", "item", "条目"),
    "key": ("المفتاح", "Schlüssel", "clave", "clé", "chiave", "キー", "chave", "键"),
    "kind": ("النوع", "Art", "clase", "genre", "tipo", "種類", "tipo", "种类"),
    "label": ("التسمية", "Beschriftung", "etiqueta", "étiquette", "etichetta", "ラベル", "rótulo", "标签"),
    "labels": (
        "التسميات", "Beschriftungen", "etiquetas", "étiquettes",
        "etichette", "ラベル", "rótulos", "标签",
    ),
    "lane": ("المسار", "Bahn", "carril", "couloir", "corsia", "レーン", "raia", "泳道"),
    "last bit": (
        "آخر بت", "letztes Bit", "último bit", "dernier bit",
        "ultimo bit", "末尾ビット", "último bit", "末位",
    ),
    "loop": ("تكرار", "Schleife", "bucle", "boucle", "ciclo", "繰り返し", "laço", "循环"),
    "low": ("منخفض", "niedrig", "bajo", "bas", "basso", "ロー", "baixo", "低"),
    "marker": ("علامة", "Markierung", "marca", "repère", "indicatore", "目印", "marcador", "标记"),
    "member": ("العضو", "Mitglied", "miembro", "membre", "membro", "メンバー", "membro", "成员"),
    "merge": ("دمج", "Merge", "fusión", "fusion", "unione", "マージ", "mesclagem", "合并"),
    "message": ("الرسالة", "Nachricht", "mensaje", "message", "messaggio", "メッセージ", "mensagem", "消息"),
    "milestone": ("معلم", "Meilenstein", "hito", "jalon", "traguardo", "マイルストーン", "marco", "里程碑"),
    "note": ("ملاحظة", "Notiz", "nota", "note", "nota", "注記", "nota", "注释"),
    "nothing": ("لا شيء", "nichts", "nada", "rien", "niente", "なし", "nada", "无"),
    "number": ("العدد", "Anzahl", "cantidad", "nombre", "numero", "数", "quantidade", "数量"),
    "one": ("واحد", "eins", "uno", "un", "uno", "1", "um", "一"),
    "one of": ("أحد", "eines von", "uno de", "l’un de", "uno tra", "次のいずれか", "um de", "其中之一"),
    "one or more": (
        "واحد أو أكثر", "eins oder mehr", "uno o más", "un ou plusieurs",
        "uno o più", "1以上", "um ou mais", "一个或多个",
    ),
    "one or more times": (
        "مرة أو أكثر", "einmal oder öfter", "una o más veces", "une ou plusieurs fois",
        "una o più volte", "1回以上", "uma ou mais vezes", "一次或多次",
    ),
    "optional": ("اختياري", "wahlweise", "opcional", "facultatif", "facoltativo", "省略可", "opcional", "可选"),
    "parent": ("الأصل", "übergeordnet", "superior", "parent", "superiore", "親", "superior", "上级"),
    "part": ("الجزء", "Teil", "parte", "partie", "parte", "部分", "parte", "部分"),
    "period": ("الفترة", "Zeitraum", "periodo", "période", "periodo", "期間", "período", "时期"),
    "place": ("الموضع", "Ort", "lugar", "emplacement", "posizione", "位置", "lugar", "位置"),
    "point": ("النقطة", "Punkt", "punto", "point", "punto", "点", "ponto", "点"),
    "priority": (
        "الأولوية", "Priorität", "prioridad", "priorité",
        "priorità", "優先度", "prioridade", "优先级",
    ),
    "pulled down": (
        "مسحوب لأسفل", "auf Low gezogen", "llevado a bajo", "tiré vers le bas",
        "portato a basso", "プルダウン", "puxado para baixo", "下拉",
    ),
    "pulled up": (
        "مسحوب لأعلى", "auf High gezogen", "llevado a alto", "tiré vers le haut",
        "portato ad alto", "プルアップ", "puxado para cima", "上拉",
    ),
    "quadrant": ("الربع", "Quadrant", "cuadrante", "quadrant", "quadrante", "象限", "quadrante", "象限"),
    "realization": (
        "تحقيق", "Realisierung", "realización", "réalisation",
        "realizzazione", "実現", "realização", "实现",
    ),
    "requirement": (
        "المتطلب", "Anforderung", "requisito", "exigence",
        "requisito", "要求", "requisito", "需求",
    ),
    "reverse": ("تراجع", "zurückgenommen", "revertido", "annulé", "annullato", "取り消し", "revertido", "回退"),
    "risk": ("الخطر", "Risiko", "riesgo", "risque", "rischio", "リスク", "risco", "风险"),
    "score": ("الدرجة", "Bewertung", "puntuación", "note", "punteggio", "評価", "pontuação", "评分"),
    "section": ("القسم", "Abschnitt", "sección", "section", "sezione", "セクション", "seção", "部分"),
    "sets": ("المجموعات", "Mengen", "conjuntos", "ensembles", "insiemi", "集合", "conjuntos", "集合"),
    "share in %": (
        "النسبة %", "Anteil in %", "porcentaje", "part en %",
        "quota in %", "割合（%）", "parcela em %", "占比（%）",
    ),
    "signal": ("الإشارة", "Signal", "señal", "signal", "segnale", "信号", "sinal", "信号"),
    "slice": ("الشريحة", "Anteil", "porción", "part", "fetta", "区分", "fatia", "扇区"),
    "source": ("المصدر", "Quelle", "origen", "source", "origine", "元", "origem", "来源"),
    "start": ("البداية", "Beginn", "inicio", "début", "inizio", "開始", "início", "开始"),
    "state": ("الحالة", "Zustand", "estado", "état", "stato", "状態", "estado", "状态"),
    "status": ("الحالة", "Stand", "estado", "état", "stato", "状況", "situação", "状态"),
    "step": ("الخطوة", "Schritt", "paso", "étape", "passo", "手順", "passo", "步骤"),
    "tags": ("الوسوم", "Tags", "etiquetas", "étiquettes", "tag", "タグ", "tags", "标签"),
    "task": ("المهمة", "Aufgabe", "tarea", "tâche", "attività", "タスク", "tarefa", "任务"),
    "technology": (
        "التقنية", "Technik", "tecnología", "technologie",
        "tecnologia", "技術", "tecnologia", "技术",
    ),
    "text": ("النص", "Text", "texto", "texte", "testo", "文字", "texto", "文字"),
    "ticket": ("التذكرة", "Ticket", "incidencia", "ticket", "ticket", "チケット", "chamado", "工单"),
    "to": ("إلى", "nach", "a", "à", "a", "先", "para", "到"),
    "top left": (
        "أعلى اليسار", "oben links", "arriba a la izquierda", "en haut à gauche",
        "in alto a sinistra", "左上", "em cima à esquerda", "左上",
    ),
    "top right": (
        "أعلى اليمين", "oben rechts", "arriba a la derecha", "en haut à droite",
        "in alto a destra", "右上", "em cima à direita", "右上",
    ),
    "type": ("النوع", "Typ", "tipo", "type", "tipo", "型", "tipo", "类型"),
    "unknown": ("مجهول", "unbekannt", "desconocido", "inconnu", "sconosciuto", "不定", "desconhecido", "未知"),
    "value": ("القيمة", "Wert", "valor", "valeur", "valore", "値", "valor", "值"),
    "verification": (
        "التحقق", "Prüfung", "verificación", "vérification",
        "verifica", "検証", "verificação", "验证",
    ),
    "visibility": (
        "الظهور", "Sichtbarkeit", "visibilidad", "visibilité",
        "visibilità", "可視性", "visibilidade", "可见性",
    ),
    "while": ("طالما", "solange", "mientras", "tant que", "finché", "条件", "enquanto", "当"),
    "zero or more": (
        "صفر أو أكثر", "null oder mehr", "cero o más", "zéro ou plusieurs",
        "zero o più", "0以上", "zero ou mais", "零个或多个",
    ),
    "zero or more times": (
        "صفر مرة أو أكثر", "beliebig oft", "cero o más veces", "zéro ou plusieurs fois",
        "zero o più volte", "0回以上", "zero ou mais vezes", "零次或多次",
    ),
    "zero or one": (
        "صفر أو واحد", "null oder eins", "cero o uno", "zéro ou un",
        "zero o uno", "0または1", "zero ou um", "零或一",
    ),
}  # fmt: skip
ENGLISH = (*_PAGE, *_DESCRIBED)
WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        code: MappingProxyType({**page, **{english: words[at] for english, words in _DESCRIBED.items()}})
        for at, code in enumerate(_LANGUAGES)
        for page in (_WORDS[code],)
    }
)


# The names of languages in these languages, for those who choose one; a code for any other.
NAMES: Mapping[str, str] = MappingProxyType(
    {
        "ar": "العربية", "bg": "Български", "bn": "বাংলা", "ca": "Català", "cs": "Čeština", "da": "Dansk",
        "de": "Deutsch", "el": "Ελληνικά", "en": "English", "es": "Español", "et": "Eesti", "fa": "فارسی",
        "fi": "Suomi", "fr": "Français", "he": "עברית", "hi": "हिन्दी", "hr": "Hrvatski", "hu": "Magyar",
        "id": "Bahasa Indonesia", "it": "Italiano", "ja": "日本語", "ko": "한국어", "lt": "Lietuvių", "lv": "Latviešu",
        "nb": "Norsk bokmål", "nl": "Nederlands", "pl": "Polski", "pt": "Português", "pt-br": "Português (Brasil)",
        "ro": "Română", "ru": "Русский", "sk": "Slovenčina", "sl": "Slovenščina", "sr": "Српски", "sv": "Svenska",
        "th": "ไทย", "tr": "Türkçe", "uk": "Українська", "ur": "اردو", "vi": "Tiếng Việt", "zh": "中文",
        "zh-cn": "简体中文", "zh-tw": "繁體中文",
    }
)  # fmt: skip
RIGHT_TO_LEFT = frozenset(("ar", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi"))


def translated(text: str, language: str, own: Mapping[str, Mapping[str, str]]) -> str:
    """A text in a language, or in its general form: `de` for de-AT. own: the book's words by language."""
    codes = _codes(language)
    for words in (*(own.get(one, {}) for one in codes), *(WORDS.get(one, {}) for one in codes)):
        if text in words:
            return words[text]
    if codes[-1] not in WORDS:
        return text
    from figmill import gallery_words  # few books need it

    row = gallery_words.ROWS.get(text)
    return text if row is None else row[gallery_words.LANGUAGES.index(codes[-1])]


def _codes(language: str) -> tuple[str, str]:
    """A language as its code is written here, and its general form."""
    code = language.casefold().replace("_", "-")
    return code, code.partition("-")[0]


@dataclass(frozen=True, slots=True)
class Speech:
    """The words of a page in its language. own: the book's words by language."""

    language: str = "en"
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __call__(self, text: str, *values: object) -> str:
        """A text in this language, with these values in its places {0}, {1}."""
        found = translated(text, self.language, self.own)
        for at, value in enumerate(values):
            found = found.replace(f"{{{at}}}", str(value))
        return found

    def count(self, one: str, many: str, number: int, shown: str = "") -> str:
        """`1 figure`, `2 figures`. shown: the number as readers of this language write it."""
        return self(one) if number == 1 else self(many, shown or number)

    def of(self, texts: Iterable[str]) -> dict[str, str]:
        """The texts that differ from the English ones, for a script."""
        return {text: said for text in texts if (said := self(text)) != text}

    def into(self, language: str) -> Speech:
        return Speech(language, self.own)

    @property
    def code(self) -> str:
        """As the attribute `lang` has it."""
        return self.language.replace("_", "-")

    @property
    def direction(self) -> str:
        """As the attribute `dir` has it."""
        return "rtl" if _codes(self.language)[1] in RIGHT_TO_LEFT else "ltr"

    @property
    def name(self) -> str:
        """The language's own name for itself."""
        code, general = _codes(self.language)
        return NAMES.get(code) or (f"{NAMES[general]} ({self.code})" if general in NAMES else self.code)
